"""Two sub-vectors: half of the channels with more bits than the others."""
import calibration
from datapath import Datapath
from macro import Macro
from vectors import seeded_signs


class Split(Macro):
    def datapaths(self, c):
        def signs(j, channels):
            if c["signs"]:
                row = calibration.signs(c)
                return [row[channel] for channel in channels]
            if c["identity"]:
                return [1] * len(channels)
            return seeded_signs(c["seed"], c["layer"], c["head"] + (1 + j << 18), len(channels))

        return [Datapath(c, channels, signs(j, channels), bits)
                for j, (channels, bits) in enumerate(zip(calibration.channels(c), c["split_bits"]))]
