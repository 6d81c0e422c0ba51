"""
A process that loads a plugin and exchanges arrays with a Python library through DLPack.

The harness writes the task to stdin as JSON, and reads descriptor 3: a line before and after each native call, then the
result. Both outlive a crash of the plugin.
"""

import ctypes
import faulthandler
import json
import os
import signal
import sys
import traceback

from plugin import Absent, Plugin, Refused, Report

PR_SET_PDEATHSIG = 1


def main():
    # The process is of no use without the one that started it.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    faulthandler.enable()
    report = Report(3)
    task = json.load(sys.stdin)
    try:
        result = perform(task, report)
    except Refused as error:
        result = {"refused": {"call": error.call, "code": error.code, "text": error.text}}
    except Absent as absent:
        result = {"absent": str(absent)}
    except Exception:
        result = {"fault": traceback.format_exc()}
    report.line("= " + json.dumps(result))
    # What the plugin does at exit is the subject of other cases.
    os._exit(0)


def perform(task, report):
    # The library first: without it a plugin would be loaded for nothing.
    from libraries import LIBRARIES

    report.line("@ library")
    library = LIBRARIES[task["library"]["name"]]()
    report.line("@ client")
    plugin = Plugin(task, report)
    report.line("@ exchange")
    from scenarios import decode, run

    return run(plugin, library, decode(task))


main()
