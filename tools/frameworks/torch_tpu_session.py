"""The common workload of a torch_tpu user, phase by phase, on any plugin.

Started with TPU_LIBRARY_PATH set, and the path of a file: what begins goes to it as JSON, one object a line, as in
tools/compat/session.py. Without the PCI device of a TPU torch_tpu registers no device, so this does it.
"""

import json
import os
import sys

log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)


def begins(moment):
    os.write(log, (json.dumps({"begins": moment}) + "\n").encode())


begins("import")
import torch  # it loads torch_tpu, and that loads the plugin
from torch_tpu import _loader

_loader._init_device("tpu")

begins("client creation")
torch.accelerator.synchronize()

begins("first transfer")
x = torch.arange(4, dtype=torch.float32).to("tpu")
assert x.cpu().tolist() == [0, 1, 2, 3]

begins("first compile")
y = x + x
torch.accelerator.synchronize()

begins("first execution")
assert y.cpu().tolist() == [0, 2, 4, 6]
w = torch.full((3,), 2.0).to("tpu").requires_grad_()
(-(2 * w.sin()) + w).sum().backward()
assert abs(w.grad.cpu()[0].item() - 1.832294) < 1e-3

begins("exit")
