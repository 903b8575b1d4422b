"""Files of tensors, safetensors: the length of the header, the header in JSON, data."""
import json
import struct


def packed(tensors):
    """The bytes of a file; tensors: {name: (type, shape, bytes)}."""
    header, data = {}, b""
    for name, (kind, shape, content) in tensors.items():
        place = [len(data), len(data) + len(content)]
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": place}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def split(content):
    """(header, data) of a file."""
    size = 8 + struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8:size]), content[size:]
