#include "axelram/caches/specification.hpp"

#include "axelram/caches/kinds.hpp"
#include "axelram/files/messages.hpp"
#include "support.hpp"

using namespace axelram;
using namespace axelram::caches;

TEST_CASE("every key of a specification") {
  CHECK_SAME(parse_specification("f32"), Specification{Float32{}, Float32{}});
  CHECK_SAME(parse_specification("keys=fp16;values=f32"), Specification{Float16{}, Float32{}});
  const Specification mixed = parse_specification(
      "keys=axelram:config=a b/c=d.yaml,seed=7,ber=1e-3,fault_seed=18446744073709551615;"
      "values=int4:mode=asymmetric,group=32,code=hsiao_72_64,erasure=interpolate,ber=0.25,"
      "fault_seed=3");
  CHECK_SAME(mixed.keys, RowSpecification{Axelram{"a b/c=d.yaml", 7, {1e-3, ~std::uint64_t{0}}}});
  CHECK_SAME(mixed.values,
             RowSpecification{Int4{
                 Int4Mode::asymmetric, 32, "hsiao_72_64", ErasurePolicy::interpolate, {0.25, 3}}});
  CHECK_SAME(parse_specification("int4").keys, RowSpecification{Int4{}});
  CHECK_SAME(parse_specification("axelram:config=x").keys,
             RowSpecification{Axelram{"x", std::nullopt, {}}});
}

TEST_CASE("the canonical text means the same") {
  for (const char* text :
       {"f32", "fp16", "keys=fp16;values=f32", "axelram:config=x.yaml",
        "axelram:config=x.yaml,seed=0,ber=0.1,fault_seed=9", "int4",
        "axelram:config=x,encoder=feedback:f,centers=c,balance=b,layer=0,head=3,exact_tokens=1,"
        "exact_"
        "channels=4",
        "int4:layer=2,exact_newest=16", "turboquant", "turboquant:bits=2.5,split=c",
        "turboquant:kind=prod,bits=1,rotation=hadamard,projection=orthogonal",
        "turboquant:bits=4,scale=unbiased,centers=c,seed=0,layer=1,exact_tokens=1",
        "int4:mode=asymmetric,group=8,code=golay24,erasure=zero,ber=1e-05,fault_seed=1",
        "keys=axelram:config=x;values=axelram:config=x,ber=0.001"})
    CHECK_AT(text, to_string(parse_specification(text)) == text);
  CHECK(to_string(parse_specification("keys=int4;values=int4:mode=symmetric,ber=0.0")) == "int4");
  CHECK(to_string(parse_specification("int4:erasure=keep,code=none,fault_seed=0")) == "int4");
  CHECK(to_string(parse_specification("axelram:ber=1e-3,config=x")) ==
        "axelram:config=x,ber=0.001");
}

TEST_CASE("what is wrong with a specification") {
  const auto says = [](const std::string& text, const std::string& what) {
    CHECK(test::message([&] { parse_specification(text); }) ==
          "cache specification '" + text + "': " + what);
  };
  std::vector<std::string> names;
  for (const CacheKind& kind : cache_kinds()) names.push_back(kind.name);
  const std::string known = "known are " + files::any_of(names);
  says("", "there is no cache ''; " + known);
  says("fp61", "there is no cache 'fp61'; " + known + "; did you mean 'fp16'?");
  says("f32:ber=0", "f32 takes no keys; write f32");
  says("axelram", "axelram requires config; write axelram:config=FILE|NAME");
  says("axelram:config=", "config has no value; write config=...");
  says("axelram:config", "config has no value; write config=...");
  says("axelram:d128-b4", "'d128-b4' is no key=value; write such as axelram:config=d128-b4");
  says("axelram:config=x,code=none",
       "axelram has no key 'code'; known are config, seed, encoder, centers, balance, ber, "
       "fault_seed, layer, head, exact_tokens, exact_newest or exact_channels");
  says("int4:",
       "int4 has no key ''; known are mode, group, code, erasure, ber, fault_seed, layer, head, "
       "exact_tokens, exact_newest or exact_channels");
  says("int4:ber=0.1,ber=0.2", "ber is given twice; give it once");
  says("int4:ber=1.5", "ber is '1.5'; it must be a probability from 0 to 1");
  says("int4:ber=nan", "ber is 'nan'; it must be a probability from 0 to 1");
  says("int4:ber=-0.1", "ber is '-0.1'; it must be a probability from 0 to 1");
  says("int4:group=0",
       "group is '0'; it must be a whole number of neighbouring values, such as 32");
  says("int4:fault_seed=-1", "fault_seed is '-1'; it must be a whole number from 0 to 2^64 - 1");
  says("int4:mode=symetric",
       "mode is 'symetric'; known are symmetric or asymmetric; did you mean 'symmetric'?");
  says("turboquant:bits=1.5", "bits is '1.5'; it must be 1, 2, 2.5, 3, 3.5 or 4");
  says("turboquant:bits=5", "bits is '5'; it must be 1, 2, 2.5, 3, 3.5 or 4");
  says("turboquant:kind=qjl", "kind is 'qjl'; known are mse or prod");
  says("turboquant:rotation=gaussian",
       "rotation is 'gaussian'; known are hadamard or gaussian-qr; did you mean 'gaussian-qr'?");
  says("int4:erasure=drop", "erasure is 'drop'; known are keep, zero or interpolate");
  // A key without an effect holds its default, or is rejected.
  says("int4:fault_seed=3", "fault_seed is '3', but no bit flips; give a ber above 0");
  says("axelram:config=x,fault_seed=3", "fault_seed is '3', but no bit flips; give a ber above 0");
  const std::string none = "but no word is uncorrectable; give a code that detects errors";
  says("int4:erasure=zero", "erasure is 'zero', " + none);
  says("int4:code=hamming74,erasure=interpolate", "erasure is 'interpolate', " + none);
  says("tiered:warm=0,warm_store=kivi3",
       "warm_store is 'kivi3', but there is no warm tier; give warm above 0");
  says("tiered:calibration=f",
       "calibration is 'f', but no store is squat or kvquant; give one that is, or leave it out");
  says("tiered:qnorm=1",
       "qnorm is '1', but no store is kvquant; give one that is, or leave it out");
  const std::string records = "but no store is axelram; give one that is, or leave it out";
  says("tiered:config=x", "config is 'x', " + records);
  says("tiered:seed=3", "seed is '3', " + records);
  const std::string keys = "but values have none; leave it out";
  says("keys=fp16;values=axelram:config=x,encoder=feedback:f", "encoder is 'feedback:f', " + keys);
  says("keys=fp16;values=axelram:config=x,balance=f", "balance is 'f', " + keys);
  says("tiered:balance=f", "balance is 'f', " + records);
  says("keys=fp16;values=turboquant:centers=f", "centers is 'f', " + keys);
  says("keys=int4:exact_channels=2;values=int4:exact_channels=2", "exact_channels is '2', " + keys);
  for (const char* text : {"int4:fault_seed=0,erasure=keep", "int4:exact_channels=2",
                           "int4:code=hamming84,erasure=zero,ber=0.1,fault_seed=3",
                           "tiered:warm=0,warm_store=kivi4,qnorm=0"})
    CHECK_AT(text, test::message([&] { parse_specification(text); }).empty());
  CHECK(test::contains(test::message([] { parse_specification("int4:code=hamming"); }),
                       "it must be none, hamming74, hamming84, golay24 or hsiao_N_K"));
  const std::string both = "if keys and values differ, write keys=SPEC;values=SPEC";
  says("fp16;f32", both);
  says("keys=fp16", both);
  says("values=fp16;keys=f32", both);
  says("keys=fp16;values=f32;", both);
}

TEST_CASE("the table of caches names every cache, key, default and device") {
  std::string table;
  for (const CacheKind& kind : cache_kinds()) {
    CASE(kind.name);
    table +=
        kind.name + " (" + (kind.devices == std::vector<std::string>{"cpu"} ? "cpu" : "cuda") + ")";
    for (const CacheParameter& one : kind.parameters)
      table += " " + one.key + "=" + one.value + "[" + one.fallback + "]";
    table += "\n";
    CHECK_FALSE(kind.help.empty());
  }
  CHECK(table ==
        "f32 (cpu)\n"
        "fp16 (cuda)\n"
        "axelram (cuda) config=FILE|NAME[] seed=N[the configuration's] encoder=feedback:FILE[the "
        "macro's] centers=FILE[none] balance=FILE[none] ber=P[0] fault_seed=N[0] "
        "layer=N[all] head=N[all] "
        "exact_tokens=N[0] exact_newest=N[0] exact_channels=N[0]\n"
        "int4 (cpu) mode=symmetric|asymmetric[symmetric] group=N[head_dim] code=NAME[none] "
        "erasure=keep|zero|interpolate[keep] ber=P[0] fault_seed=N[0] layer=N[all] head=N[all] "
        "exact_tokens=N[0] exact_newest=N[0] exact_channels=N[0]\n"
        "turboquant (cpu) kind=mse|prod[mse] bits=1|2|2.5|3|3.5|4[3] "
        "rotation=hadamard|gaussian-qr[gaussian-qr] "
        "projection=gaussian|orthogonal|hadamard[gaussian] "
        "scale=norm|matched|mse|unbiased[norm] split=FILE[none] centers=FILE[none] seed=N[42] "
        "layer=N[all] head=N[all] exact_tokens=N[0] exact_newest=N[0] exact_channels=N[0]\n"
        "kivi (cpu) bits=N[4] group=N[32] value_group=N[32] hot=N[64] step=N[32] sink=N[0] "
        "rope=post|pre[post]\n"
        "tiered (cpu) hot=N[64] warm=N[448] warm_store=kivi4|kivi3|axelram4|axelram3[kivi4] "
        "archive_store=kivi2|kivi3|kivi4|squat2|squat3|squat4|kvquant2|kvquant3|kvquant4|axelram2|"
        "axelram3|axelram4|auto[kivi2] group=N[32] value_group=N[32] step=N[32] sink=N[0] "
        "rope=post|pre[post] calibration=FILE[none] qnorm=0|1[0] config=FILE|NAME[none] "
        "seed=N[the configuration's] balance=FILE[none]\n"
        "memory (cpu) window=N[256] exact=N[64] summary=N[64] sinks=N[0] evict=lru|gate[gate] "
        "novel=X[0.7] match=X[the larger of 0.9 and novel] gate_exact=X[0.1] gate_summary=X[0.05] "
        "blend=X[0.047] summary_key=newest|band[newest] store=records|fp16|f32[records] "
        "config=FILE|NAME[3 bits, all else by default] seed=N[the configuration's] "
        "balance=FILE[none] ber=P[0] fault_seed=N[0]\n"
        "tuned (cpu) =DIR[]\n");
  CHECK(cache_help("  ") ==
        "  f32\n"
        "  fp16\n"
        "  "
        "axelram:config=FILE|NAME,seed=N,encoder=feedback:FILE,centers=FILE,balance=FILE,ber=P,"
        "fault_seed=N,"
        "layer=N,head=N,"
        "exact_tokens=N,exact_newest=N,"
        "exact_channels=N\n"
        "  int4:mode=symmetric|asymmetric,group=N,code=NAME,erasure=keep|zero|interpolate,ber=P,"
        "fault_seed=N,layer=N,head=N,exact_tokens=N,exact_newest=N,"
        "exact_channels=N\n"
        "  turboquant:kind=mse|prod,bits=1|2|2.5|3|3.5|4,rotation=hadamard|gaussian-qr,"
        "projection=gaussian|orthogonal|hadamard,scale=norm|matched|mse|unbiased,split=FILE,"
        "centers=FILE,seed=N,layer=N,head=N,exact_tokens=N,exact_newest=N,exact_channels=N\n"
        "  kivi:bits=N,group=N,value_group=N,hot=N,step=N,sink=N,rope=post|pre\n"
        "  tiered:hot=N,warm=N,warm_store=kivi4|kivi3|axelram4|axelram3,"
        "archive_store=kivi2|kivi3|kivi4|squat2|squat3|squat4|kvquant2|kvquant3|kvquant4|axelram2|"
        "axelram3|axelram4|auto,group=N,value_group=N,step=N,sink=N,rope=post|pre,"
        "calibration=FILE,qnorm=0|1,config=FILE|NAME,seed=N,balance=FILE\n"
        "  memory:window=N,exact=N,summary=N,sinks=N,evict=lru|gate,novel=X,match=X,gate_exact=X,"
        "gate_summary=X,blend=X,summary_key=newest|band,store=records|fp16|f32,config=FILE|NAME,"
        "seed=N,balance=FILE,ber=P,fault_seed=N\n"
        "  tuned:DIR\n");
}

TEST_CASE("the files that caches name") {
  const Specification mixed = parse_specification(
      "keys=axelram:config=x,encoder=feedback:f,centers=c,balance=b;"
      "values=turboquant:bits=2.5,split=s");
  CHECK_SAME(configurations(mixed), std::vector<std::string>{"x"});
  CHECK_SAME(other_files(mixed), std::vector<std::string>{"f", "c", "b", "s"});
  CHECK(other_files(parse_specification("int4")).empty());
}

TEST_CASE("a seed goes to everything random that has none") {
  const std::string config = std::string("config=") + AXELRAM_SOURCE + "/configs/";
  const auto reseeded = [](const std::string& text) {
    Specification specification = parse_specification(text);
    return reseed(&specification, 7) ? to_string(specification) : nothing_random(specification);
  };
  const std::string paper = "axelram:" + config + "paper-d128-b3.yaml";
  CHECK(reseeded(paper) == paper + ",seed=7");
  CHECK(reseeded(paper + ",seed=3,ber=0.5") == paper + ",seed=3,ber=0.5,fault_seed=7");
  CHECK(reseeded("keys=fp16;values=int4:ber=0.5") == "keys=fp16;values=int4:ber=0.5,fault_seed=7");
  CHECK(reseeded("keys=turboquant;values=turboquant:seed=3") ==
        "keys=turboquant:seed=7;values=turboquant:seed=3");
  CHECK(reseeded("fp16") ==
        "cache 'fp16' has nothing random to seed: remove seed= so that the signs vary, or set "
        "ber=");
  CHECK(test::contains(reseeded(paper + ",seed=3"), "has nothing random to seed"));
}
