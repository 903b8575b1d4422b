"""Reads LEF and routed DEF: cells, wires, vias, and whether the wires connect what the netlist connects.

Lengths are in um. A shape is (layer, x0, y0, x1, y1)."""
import collections
import dataclasses
import re

CUT = re.compile(r"^via\d*$")


@dataclasses.dataclass
class Cell:
    width: float = 0
    height: float = 0
    pins: dict = dataclasses.field(default_factory=dict)  # name: shapes
    obstructions: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Net:
    pins: list = dataclasses.field(default_factory=list)  # (instance or PIN, pin)
    wires: list = dataclasses.field(default_factory=list)  # (layer, x0, y0, x1, y1), centre lines
    shapes: list = dataclasses.field(default_factory=list)  # of wires
    vias: list = dataclasses.field(default_factory=list)  # (name, shapes)


@dataclasses.dataclass
class Layout:
    die: tuple = ()
    components: dict = dataclasses.field(default_factory=dict)  # instance: (cell, x, y, orientation)
    ports: dict = dataclasses.field(default_factory=dict)  # name: (net, shape)
    nets: dict = dataclasses.field(default_factory=dict)


def read_lef(text):
    """({cell: Cell}, {via: shapes}, {routing layer: width})."""
    cells, vias, widths = {}, {}, {}
    for name, body in re.findall(r"^LAYER (\w+)$(.*?)^END \1$", text, re.M | re.S):
        if "ROUTING" in body:
            widths[name] = float(re.search(r"\bWIDTH\s+([\d.]+)", body)[1])
    for name, body in re.findall(r"^VIA (\w+) DEFAULT$(.*?)^END \1$", text, re.M | re.S):
        vias[name] = shapes_of(body)
    for name, body in re.findall(r"^MACRO (\w+)$(.*?)^END \1$", text, re.M | re.S):
        size = re.search(r"SIZE\s+([\d.]+)\s+BY\s+([\d.]+)", body)
        pins = {pin: shapes_of(inner) for pin, inner in re.findall(r"^  PIN (\w+)$(.*?)^  END \1$", body, re.M | re.S)}
        blocked = re.search(r"^  OBS\b(.*?)^  END", body, re.M | re.S)
        cells[name] = Cell(float(size[1]), float(size[2]), pins, shapes_of(blocked[1]) if blocked else [])
    return cells, vias, widths


def shapes_of(body):
    """Rectangles of metal; cuts between metals are left out."""
    shapes, layer = [], None
    for words in map(str.split, body.splitlines()):
        if words[:1] == ["LAYER"]:
            layer = words[1]
        elif words[:1] == ["RECT"] and not CUT.match(layer):
            shapes.append((layer, *map(float, words[1:5])))
    return shapes


def read_def(text, vias, widths):
    """A layout; special wires, which qrouter adds at pins, belong to the shapes of their nets."""
    unit = float(re.search(r"UNITS DISTANCE MICRONS (\d+)", text)[1])
    layout = Layout(tuple(int(value) / unit for value in re.search(
        r"DIEAREA \( (\S+) (\S+) \) \( (\S+) (\S+) \)", text).groups()))
    for found in re.finditer(r"^- (\S+) (\S+) \+ PLACED \( (\S+) (\S+) \) (\w+) ;", text, re.M):
        layout.components[found[1]] = (found[2], float(found[3]) / unit, float(found[4]) / unit, found[5])
    port = re.compile(r"^- (\S+) \+ NET (\S+)\s+\+ LAYER (\S+) \( (\S+) (\S+) \) \( (\S+) (\S+) \)\s+\+ PLACED \( (\S+) (\S+) \)", re.M)
    for found in port.finditer(text):
        x, y = float(found[8]), float(found[9])
        corners = [(x if index % 2 == 0 else y) + float(found[4 + index]) for index in range(4)]
        layout.ports[found[1]] = (found[2], (found[3], *(value / unit for value in corners)))
    for special in (False, True):
        section = re.search(rf"^{'SPECIALNETS' if special else 'NETS'} \d+ ;$(.*?)^END", text, re.M | re.S)
        for body in re.split(r"^- ", section[1] if section else "", flags=re.M)[1:]:
            net = layout.nets.setdefault(body.split()[0], Net())
            pins, _, routes = body.partition("+ ROUTED")
            net.pins += re.findall(r"\( (\S+) (\S+) \)", pins)
            for path in re.split(r"\bNEW\b", routes.replace(";", "")):
                add_path(net, path.split(), unit, vias, widths, special)
    return layout


def add_path(net, words, unit, vias, widths, special):
    """`LAYER [WIDTH] ( X Y ) ( X * ) ... VIA`: * repeats a coordinate."""
    if not words:
        return
    layer, at = words[0], None
    half = (float(words[1]) / unit if special else widths[layer]) / 2
    index = 2 if special else 1
    while index < len(words):
        if words[index] == "(":
            point = [float(value) / unit if value != "*" else at[axis] for axis, value in enumerate(words[index + 1 : index + 3])]
            if at is not None:
                if not special:
                    net.wires.append((layer, *at, *point))
                net.shapes.append((layer, min(at[0], point[0]) - half, min(at[1], point[1]) - half,
                                   max(at[0], point[0]) + half, max(at[1], point[1]) + half))
            at, index = point, index + words[index:].index(")") + 1
        else:
            net.vias.append((words[index], [(metal, at[0] + x0, at[1] + y0, at[0] + x1, at[1] + y1)
                                            for metal, x0, y0, x1, y1 in vias[words[index]]]))
            index += 1


def placed(shape, component, cell):
    """A shape of a cell where its component is. S, FN and FS: turned by half, mirrored at the vertical, at the horizontal."""
    _, x, y, orientation = component
    layer, x0, y0, x1, y1 = shape
    if orientation in ("S", "FN"):
        x0, x1 = cell.width - x1, cell.width - x0
    if orientation in ("S", "FS"):
        y0, y1 = cell.height - y1, cell.height - y0
    return layer, x + x0, y + y0, x + x1, y + y1


def pin_shapes(layout, cells, instance, pin):
    if instance == "PIN":
        return [layout.ports[pin][1]]
    component = layout.components[instance]
    cell = cells[component[0]]
    return [placed(shape, component, cell) for shape in cell.pins[pin]]


def connections(layout, cells):
    """(nets whose wires do not reach all their pins, pairs of nets, or of a net and the inside of a cell, that touch).
    A pin of a supply must reach a rail; the rails of different rows are not connected."""
    shapes, owner = [], []

    def add(found, name):
        first = len(shapes)
        shapes.extend(found)
        owner.extend([name] * len(found))
        return range(first, len(shapes))

    pins = collections.defaultdict(list)  # of each net: ranges of shapes that are one piece of metal and must be reached
    pieces, routed, used, rails = [], set(), set(), collections.defaultdict(list)
    for name, net in layout.nets.items():
        wires = [add([shape], name) for shape in net.shapes] + [add(shapes, name) for _, shapes in net.vias]
        routed.update(index for each in wires for index in each)
        pieces += wires
        for instance, pin in net.pins:
            pins[name].append(add(pin_shapes(layout, cells, instance, pin), name))
            used.add((instance, pin))
    for instance, component in layout.components.items():
        cell = cells[component[0]]
        for pin, inner in cell.pins.items():
            if (instance, pin) not in used:
                supply = pin in ("vdd", "gnd")
                pieces.append(add([placed(shape, component, cell) for shape in inner], pin if supply else f"{instance}/{pin}"))
                if supply:
                    rails[pin].append(pieces[-1][0])
        add([placed(shape, component, cell) for shape in cell.obstructions], None)

    parent = list(range(len(shapes)))

    def root(index):
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    def join(first, second):
        parent[root(first)] = root(second)

    shorts = set()
    for first, second in touching(shapes):
        if owner[first] == owner[second]:
            join(first, second)
        elif first in routed or second in routed:
            shorts.add((str(owner[first]), str(owner[second])))
    for piece in pieces + [pin for of_net in pins.values() for pin in of_net]:
        for index in piece[1:]:
            join(index, piece[0])
    opens = 0
    for name, of_net in pins.items():
        reached = {root(pin[0]) for pin in of_net}
        opens += not reached <= {root(rail) for rail in rails[name]} if name in rails else len(reached) > 1
    return opens, len(shorts)


def touching(shapes, step=8.0):
    """Pairs of shapes of a layer that overlap or touch."""
    bins = collections.defaultdict(list)
    for index, (layer, x0, y0, x1, y1) in enumerate(shapes):
        for column in range(int(x0 // step), int(x1 // step) + 1):
            for row in range(int(y0 // step), int(y1 // step) + 1):
                bins[layer, column, row].append(index)
    tiny = 1e-6
    for (_, column, row), inside in bins.items():
        for place, first in enumerate(inside):
            _, a0, b0, a1, b1 = shapes[first]
            for second in inside[place + 1 :]:
                _, c0, d0, c1, d1 = shapes[second]
                left, low = max(a0, c0), max(b0, d0)
                if left <= min(a1, c1) + tiny and low <= min(b1, d1) + tiny and \
                        (int(left // step), int(low // step)) == (column, row):
                    yield first, second
