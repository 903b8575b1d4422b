"""A language model of the family of Llama in FP64, one token after the other, with a store of keys and values of one's own."""
import json
import math
import pathlib
import struct
from operator import add, mul

import safetensors


def numbers(tensor):
    """The elements of an F32 tensor."""
    return struct.unpack(f"<{len(tensor.data) // 4}f", tensor.data)


class LanguageModel:
    """A Hugging Face directory with one file of F32 tensors: Llama, Mistral with its span of attention, Qwen 3 with its norms of
    queries and keys."""
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        c = json.loads((folder / "config.json").read_text())
        tensors, _ = safetensors.read(str(folder / "model.safetensors"))
        self.tensors = {name: (numbers(tensor), tensor.shape) for name, tensor in tensors.items()}
        self.layers, self.heads, self.kv_heads = c["num_hidden_layers"], c["num_attention_heads"], c["num_key_value_heads"]
        self.d, self.epsilon, self.theta = c["head_dim"], c["rms_norm_eps"], c["rope_theta"]
        self.span = c.get("sliding_window") if c["model_type"] == "mistral" else None

    def product(self, name, x):
        """A matrix [out, in] times a vector."""
        weights, (rows, columns) = self.tensors[name]
        return [math.fsum(map(mul, weights[r * columns:(r + 1) * columns], x)) for r in range(rows)]

    def norm(self, name, x):
        """RMS norm; x itself if the model has none of this name."""
        if name not in self.tensors:
            return x
        factor = 1 / math.sqrt(math.fsum(v * v for v in x) / len(x) + self.epsilon)
        return [v * factor * g for v, g in zip(x, self.tensors[name][0])]

    def turned(self, x, position):
        pairs, result = self.d // 2, list(x)
        for i in range(pairs):
            angle = position * self.theta ** (-2 * i / self.d)
            c, s = math.cos(angle), math.sin(angle)
            result[i], result[i + pairs] = x[i] * c - x[i + pairs] * s, x[i + pairs] * c + x[i] * s
        return result

    def placed(self, layer, head, key, position):
        """A key after its rotation, with the constant that a stressed model adds."""
        name = f"model.layers.{layer}.self_attn.key_offset"
        offset = self.tensors[name][0][head * self.d:(head + 1) * self.d] if name in self.tensors else [0.0] * self.d
        return list(map(add, self.turned(key, position), offset))

    def heads_of(self, name, layer, x):
        """-> one vector for each head, normed if the model does so."""
        prefix = f"model.layers.{layer}.self_attn.{name}"
        flat = self.product(f"{prefix}_proj.weight", x)
        rows = [flat[i:i + self.d] for i in range(0, len(flat), self.d)]
        return [self.norm(f"{prefix}_norm.weight", row) for row in rows]

    def attention(self, layer, x, position, stores):
        """stores: of the KV heads. One takes a key before and after its rotation and a value, and then attends."""
        queries, keys, values = (self.heads_of(name, layer, x) for name in "qkv")
        outputs, group = [], self.heads // self.kv_heads
        oldest = max(0, position + 1 - self.span) if self.span else 0
        for head, store in enumerate(stores):
            store.write(keys[head], self.placed(layer, head, keys[head], position), values[head])
            for query in queries[head * group:(head + 1) * group]:
                outputs += store.attend(self.turned(query, position), oldest, 1 / math.sqrt(self.d))
        return self.product(f"model.layers.{layer}.self_attn.o_proj.weight", outputs)

    def hidden(self, ids, store_of):
        """-> the last hidden state of each token; store_of(layer, head)."""
        width = self.tensors["model.embed_tokens.weight"][1][1]
        stores = [[store_of(layer, head) for head in range(self.kv_heads)] for layer in range(self.layers)]
        for position, token in enumerate(ids):
            x = list(self.tensors["model.embed_tokens.weight"][0][token * width:(token + 1) * width])
            for layer, of_layer in enumerate(stores):
                prefix = f"model.layers.{layer}."
                normed = self.norm(prefix + "input_layernorm.weight", x)
                x = list(map(add, x, self.attention(layer, normed, position, of_layer)))
                normed = self.norm(prefix + "post_attention_layernorm.weight", x)
                gate, up = (self.product(f"{prefix}mlp.{name}_proj.weight", normed) for name in ("gate", "up"))
                x = list(map(add, x, self.product(prefix + "mlp.down_proj.weight",
                                                  [g / (1 + math.exp(-g)) * u for g, u in zip(gate, up)])))
            yield self.norm("model.norm.weight", x)

    def likelihoods(self, ids, store_of):
        """-> -ln p of each id but the first, in nats."""
        found = []
        for x, after in zip(self.hidden(ids[:-1], store_of), ids[1:]):
            logits = self.product("lm_head.weight", x)
            top = max(logits)
            found.append(top + math.log(math.fsum(math.exp(v - top) for v in logits)) - logits[after])
        return found
