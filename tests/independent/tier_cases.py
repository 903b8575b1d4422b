"""Stores that are compared: a list that covers every parameter of the contract, and stores drawn from a seed."""
from dataclasses import dataclass
from random import Random

C, M = "calibration=CALIBRATION", "config=CONFIG"


@dataclass
class Case:
    name: str
    spec: str
    d: int
    tokens: int
    queries: int = 24
    g: int = 32  # squat_channels of the calibration file
    outliers: float = 0.01
    seed: int = 1


STANDARD = [
    Case("defaults", "tiered", 128, 600),
    Case("kivi", "kivi", 128, 140),
    Case("kivi2 groups of 16 and 8", "kivi:bits=2,group=16,value_group=8,hot=1,step=16", 32, 90),
    Case("kivi3 groups of 8 and 64", "kivi:bits=3,group=8,value_group=64,hot=5,step=24,sink=3", 64, 150),
    Case("kivi2 groups of 128", "kivi:bits=2,group=128,value_group=128,hot=7,step=128", 128, 280),
    Case("kivi4 groups of 256", "kivi:group=256,value_group=256,hot=1,step=256", 256, 300, 12),
    Case("kivi3 groups of 64 and 16, before rotation", "kivi:bits=3,group=64,value_group=16,step=64,rope=pre", 64, 200),
    Case("KIVI's decoding", "keys=kivi:bits=2,hot=1,step=32;values=kivi:bits=2,hot=33,step=1", 64, 100, 40),
    Case("nested", "tiered:hot=16,warm=32,step=16,group=16,value_group=16,sink=4", 64, 150, 40),
    Case("nested before rotation", "tiered:hot=8,warm=8,step=8,group=8,value_group=8,rope=pre", 32, 80, 40),
    Case("nested, warm of less than a step", "tiered:hot=3,warm=1,step=32", 32, 150),
    Case("4 to 3 bits", "tiered:hot=8,warm=16,step=16,group=8,archive_store=kivi3", 64, 90),
    Case("4 to 4 bits", "tiered:hot=8,warm=16,step=16,group=8,archive_store=kivi4", 32, 90),
    Case("3 to 2 bits", "tiered:hot=8,warm=16,step=16,group=8,warm_store=kivi3", 32, 90),
    Case("3 to 4 bits", "tiered:hot=8,warm=16,step=16,group=8,warm_store=kivi3,archive_store=kivi4", 32, 90),
    Case("3 to 3 bits", "tiered:hot=8,warm=16,step=16,group=8,warm_store=kivi3,archive_store=kivi3", 32, 90),
    Case("no warm tier", "tiered:hot=8,warm=0,step=16,group=16", 64, 90),
    Case("squat2", f"tiered:hot=16,warm=32,archive_store=squat2,{C}", 128, 180, 24, 64),
    Case("squat2 of hot rows", f"tiered:hot=4,warm=0,archive_store=squat2,group=16,{C}", 64, 120, 24, 8),
    Case("squat3", f"tiered:hot=4,warm=16,step=16,group=16,archive_store=squat3,{C}", 64, 120, 24, 16),
    Case("squat4", f"tiered:hot=4,warm=16,step=16,group=8,archive_store=squat4,{C}", 64, 120, 24, 32),
    Case("squat of one block of channels", f"tiered:hot=4,warm=0,archive_store=squat3,{C}", 256, 80, 8, 256),
    Case("squat of two blocks of channels", f"tiered:hot=4,warm=0,archive_store=squat2,{C}", 256, 80, 8, 128),
    Case("squat before rotation", f"tiered:hot=4,warm=32,archive_store=squat2,rope=pre,{C}", 32, 120, 24, 8),
    Case("kvquant2", f"tiered:hot=4,warm=0,archive_store=kvquant2,rope=pre,{C}", 128, 120, 24, 32),
    Case("kvquant3", f"tiered:hot=4,warm=32,archive_store=kvquant3,rope=pre,{C}", 64, 120, 24, 32),
    Case("kvquant4 without outliers", f"tiered:hot=4,warm=0,archive_store=kvquant4,{C}", 32, 120, 24, 32, 0.0),
    Case("kvquant2 with many outliers", f"tiered:hot=4,warm=0,archive_store=kvquant2,step=8,group=8,qnorm=1,{C}", 32, 120, 24, 32, 0.25),
    Case("kvquant3 of 256 channels", f"tiered:hot=4,warm=0,archive_store=kvquant3,qnorm=1,rope=pre,{C}", 256, 80, 8, 64),
    Case("kvquant4 behind kivi3", f"tiered:hot=4,warm=8,step=8,group=8,warm_store=kivi3,archive_store=kvquant4,{C}", 64, 70, 24, 16, 0.1),
    Case("axelram4 to axelram2", f"tiered:hot=16,warm=32,warm_store=axelram4,archive_store=axelram2,{M}", 128, 130),
    Case("axelram3 to axelram4", f"tiered:hot=5,warm=8,step=8,group=8,warm_store=axelram3,archive_store=axelram4,{M}", 32, 80, 24, 32, 0.0, 2),
    Case("axelram3 to axelram3", f"tiered:hot=5,warm=8,step=8,group=8,warm_store=axelram3,archive_store=axelram3,{M}", 64, 60, 24, 32, 0.0, 3),
    Case("axelram4 to kivi2", f"tiered:hot=5,warm=32,warm_store=axelram4,{M}", 64, 110, 24, 32, 0.0, 4),
    Case("kivi4 to axelram3", f"tiered:hot=5,warm=32,archive_store=axelram3,{M}", 256, 80, 8, 32, 0.0, 5),
    Case("axelram4 to squat2", f"tiered:hot=5,warm=16,step=16,group=16,warm_store=axelram4,archive_store=squat2,{M},{C}", 32, 80, 24, 16),
    Case("axelram3 to kvquant3", f"tiered:hot=5,warm=16,step=16,group=16,warm_store=axelram3,archive_store=kvquant3,{M},{C}", 64, 80),
    Case("values of axelram beside keys before rotation",
         f"keys=kivi:rope=pre,bits=3;values=tiered:rope=pre,hot=9,warm=5,step=3,warm_store=axelram3,archive_store=axelram2,{M}", 64, 110),
    Case("values of kvquant beside keys of squat",
         f"keys=tiered:hot=4,warm=0,archive_store=squat2,{C};values=tiered:hot=2,warm=7,step=5,archive_store=kvquant2,{C}", 64, 110),
    Case("auto", f"tiered:hot=64,warm=448,archive_store=auto,rope=pre,{C}", 32, 2130, 8, 8),
    Case("auto without archive", f"tiered:archive_store=auto,rope=pre,{C}", 32, 100, 8, 8),
    Case("one token", "tiered:hot=1,step=8,group=8", 32, 1, 2),
    Case("fewer tokens than the sink", "tiered:hot=1,step=8,group=8,sink=50", 32, 20, 6),
    Case("no tokens", "tiered", 64, 0, 0),
    Case("no tokens before rotation", f"tiered:rope=pre,archive_store=squat2,{C}", 32, 0, 0),
    Case("no queries", "tiered:hot=8,warm=16,step=8,group=8", 64, 60, 0),
]

SLOW = [
    Case("700 tokens", "tiered", 128, 700, 200),
    Case("squat of 700 tokens", f"tiered:archive_store=squat2,hot=32,warm=64,{C}", 128, 700, 60, 8),
    Case("squat of 256 channels", f"tiered:archive_store=squat4,warm_store=kivi3,hot=32,warm=64,group=8,{C}", 256, 300, 20, 8),
    Case("kvquant of 700 tokens", f"tiered:archive_store=kvquant3,hot=32,warm=64,rope=pre,{C}", 128, 700, 60, 64),
    Case("axelram of 700 tokens", f"tiered:warm_store=axelram4,archive_store=axelram2,hot=32,warm=64,{M}", 128, 700, 60),
    Case("auto to kvquant", f"tiered:archive_store=auto,rope=pre,{C}", 32, 8330, 6, 16),
    Case("auto of hot rows", f"tiered:warm=0,hot=8,step=8,group=8,archive_store=auto,rope=pre,{C}", 32, 2080, 6, 16, 0.1),
    Case("auto behind kivi3", f"tiered:warm=40,hot=8,step=8,group=8,warm_store=kivi3,archive_store=auto,rope=pre,{C}", 32, 2110, 6, 32),
]

REJECTED = [  # SPEC of each: with a trace that is right but for the SPEC
    "kivi:bits=1", "kivi:bits=5", "kivi:bits=", "kivi:bits", "kivi:colour=3", "kivi:bits=2,bits=2", "kivi:hot=0", "kivi:step=0",
    "kivi:hot=-1", "kivi:sink=1073741824", "kivi:group=24", "kivi:group=4,step=4", "kivi:group=512,step=512", "kivi:value_group=64", "kivi:value_group=64,hot=1",
    "kivi:value_group=4", "kivi:group=64", "kivi:step=48", "kivi:rope=none", "kivi:warm=3", "tiered:bits=2",
    "tiered:warm=-1", "tiered:warm_store=kivi2", "tiered:warm_store=squat4", "tiered:archive_store=kivi5", "tiered:archive_store=kivi",
    "tiered:archive_store=auto", "tiered:archive_store=squat2", "tiered:archive_store=kvquant2", "tiered:archive_store=axelram2",
    "tiered:warm_store=axelram4", "tiered:qnorm=2", "tiered:budget=1000", "tiered:adapt=1", "tiered:thresholds=x", "tiered:pressure=0.5",
    "tiered:keep=3", "tiered:compute=3", "tiered:target=0.1", "tiered:hot_max=3", "tiered:ber=0.1", "tiered:code=hamming84",
    "tiered:fault_seed=1", "keys=kivi", "keys=kivi;values=", "keys=kivi;keys=kivi", "kivi;kivi", "tiered:calibration=missing,archive_store=squat2",
    "tiered:warm=0,warm_store=axelram4", "tiered:warm=0,warm_store=kivi3", "tiered:qnorm=1", "tiered:calibration=CALIBRATION", "tiered:config=CONFIG",
    "tiered:seed=3", "keys=kivi:value_group=16;values=kivi", "keys=kivi;values=kivi:group=16",
    "tiered:archive_store=axelram4,warm=0,value_group=16,config=CONFIG", "tiered:warm_store=axelram4,config=CONFIG,rope=pre", "tiered:archive_store=axelram4,config=CONFIG,rope=pre",
]


def drawn(seed):
    """A store of random parameters."""
    random = Random(seed)
    d, rope = random.choice([32, 64, 128, 256]), random.choice(["post", "post", "pre"])
    both = random.random() < 0.5

    def side(keys):
        group = random.choice([8, 8, 16, 32, 64])
        step = group * random.choice([1, 1, 2, 3]) if keys else random.randint(1, 40)
        entries = {"hot": random.choice([1, random.randint(1, 80)]), "step": step, "sink": random.choice([0, 0, random.randint(1, 20)]),
                   "rope": rope}
        value_group = random.choice([v for v in (8, 16, 32, 64, 128, 256) if v <= d])
        if keys:
            entries["group"] = group
        if both or not keys:
            entries["value_group"] = value_group
        if random.random() < 0.2:
            return "kivi", entries | {"bits": random.choice([2, 3, 4])}
        macro = ["axelram"] if rope == "post" or not keys else []
        entries["warm"] = random.choice([0, random.randint(1, 100)])
        entries["warm_store"] = random.choice(["kivi", "kivi", *macro]) + random.choice("34")
        entries["archive_store"] = random.choice(["kivi", "squat", "kvquant", *macro]) + random.choice("234")
        entries["qnorm"] = random.randrange(2)
        stores = entries["archive_store"] + (entries["warm_store"] if entries["warm"] else "")
        if not entries["warm"]:
            del entries["warm_store"]  # a key without an effect is rejected, unless it holds its default
        if "kvquant" not in stores:
            del entries["qnorm"]
        if "kivi" not in stores and "squat" not in stores:
            entries.pop("value_group", None)
        entries |= {"calibration": "CALIBRATION"} if "kvquant" in stores or "squat" in stores else {}
        return "tiered", entries | ({"config": "CONFIG"} if "axelram" in stores else {})

    def text(name, entries):
        return f"{name}:" + ",".join(f"{key}={value}" for key, value in entries.items())

    spec = text(*side(True)) if both else f"keys={text(*side(True))};values={text(*side(False))}"
    g = random.choice([v for v in (8, 16, 32, 64, 128, 256) if v <= d])
    outliers = random.choice([0.0, 0.01, random.uniform(0, 0.25), 0.25])
    return Case(f"drawn {seed}", spec, d, random.randint(60, 250 if d > 64 else 350), 12, g, outliers, seed)
