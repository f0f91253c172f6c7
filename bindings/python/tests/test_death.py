"""Tests that nothing is left behind whichever process dies first, at a time drawn from a seed.

    LEPANTO_KILLS=50 LEPANTO_KILL_SEED=7 python -m unittest tests/test_death.py         # so many of each side
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import lepanto

KILLS = int(os.environ.get("LEPANTO_KILLS", "4"))
SEED = int(os.environ.get("LEPANTO_KILL_SEED", "1"))

PARENT = """
import lepanto
batch = lepanto.Batch(64, workers=2, observations=None)
print(batch.process_id, flush=True)
while True:
    batch.step(batch.random_actions())
"""

# A fork of the parent keeps the pipe open after the parent has gone.
FORKING_PARENT = """
import os, time, lepanto
batch = lepanto.Batch(4, workers=1, observations=None)
child = os.fork()
if child == 0:
    time.sleep(600)
    os._exit(0)
print(batch.process_id, child, flush=True)
time.sleep(600)
"""


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(process, seconds=120.0):
    end = time.time() + seconds
    while is_alive(process) and time.time() < end:
        time.sleep(0.02)
    return not is_alive(process)


@unittest.skipUnless(os.path.isdir("/proc/self"), "needs /proc")
class Death(unittest.TestCase):
    def setUp(self):
        self.before = self.files()
        self.draw = random.Random(SEED).random

    def files(self):
        places = [place for place in ("/dev/shm", tempfile.gettempdir()) if os.path.isdir(place)]
        # Directories are those of tests that run beside this one.
        paths = [os.path.join(place, name) for place in places for name in os.listdir(place) if "lepanto" in name]
        return {path for path in paths if os.path.isfile(path)}

    def test_parent_killed(self):
        for _ in range(KILLS):
            parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
            engine = int(parent.stdout.readline())
            time.sleep(self.draw() * 0.15)
            parent.kill()
            parent.wait()
            parent.stdout.close()
            self.assertTrue(wait_for_end(engine))
        self.assertEqual(self.files(), self.before)

    def test_engine_killed(self):
        for _ in range(KILLS):
            with lepanto.Batch(64, workers=2, observations=None, seed=0) as batch:
                threading.Timer(self.draw() * 0.15, os.kill, (batch.process_id, signal.SIGKILL)).start()
                with self.assertRaisesRegex(lepanto.EngineDied, "signal 9"):
                    while True:
                        batch.step(batch.random_actions())
                self.assertFalse(is_alive(batch.process_id))
        self.assertEqual(self.files(), self.before)

    def test_fork_that_keeps_the_pipe(self):
        parent = subprocess.Popen([sys.executable, "-c", FORKING_PARENT], stdout=subprocess.PIPE)
        engine, fork = map(int, parent.stdout.readline().split())
        parent.kill()
        parent.wait()
        parent.stdout.close()
        ended = wait_for_end(engine)
        os.kill(fork, signal.SIGKILL)
        self.assertTrue(ended)

    def test_nothing_is_left_to_the_garbage_collector(self):
        code = "import gc, lepanto\nfor _ in range(3): lepanto.Batch(2, workers=1).close()\ngc.collect()"
        done = subprocess.run([sys.executable, "-W", "always::ResourceWarning", "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_closing_twice(self):
        batch = lepanto.Batch(2, workers=1, observations=None, seed=0)
        view = batch.year
        batch.close()
        batch.close()
        self.assertTrue(wait_for_end(batch.process_id))
        self.assertEqual(view.tolist(), [1901, 1901])


if __name__ == "__main__":
    unittest.main()
