"""Tests that nothing is left behind whichever process dies first. LEPANTO_KILLS sets the number of attempts."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest

import lepanto

KILLS = int(os.environ.get("LEPANTO_KILLS", "4"))

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
    time.sleep(20)
    os._exit(0)
print(batch.process_id, child, flush=True)
time.sleep(60)
"""


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(process, seconds=5.0):
    end = time.time() + seconds
    while is_alive(process) and time.time() < end:
        time.sleep(0.02)
    return not is_alive(process)


@unittest.skipUnless(os.path.isdir("/proc/self"), "needs /proc")
class Death(unittest.TestCase):
    def setUp(self):
        self.before = self.files()

    def files(self):
        return {name for name in os.listdir("/dev/shm") if "lepanto" in name} if os.path.isdir("/dev/shm") else set()

    def test_parent_killed(self):
        for _ in range(KILLS):
            parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
            engine = int(parent.stdout.readline())
            time.sleep(random.random() * 0.15)
            parent.kill()
            parent.wait()
            parent.stdout.close()
            self.assertTrue(wait_for_end(engine))
        self.assertEqual(self.files(), self.before)

    def test_engine_killed(self):
        for _ in range(KILLS):
            with lepanto.Batch(64, workers=2, observations=None) as batch:
                threading.Timer(random.random() * 0.15, os.kill, (batch.process_id, signal.SIGKILL)).start()
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

    def test_closing_twice(self):
        batch = lepanto.Batch(2, workers=1, observations=None)
        view = batch.year
        batch.close()
        batch.close()
        self.assertTrue(wait_for_end(batch.process_id))
        self.assertEqual(view.tolist(), [1901, 1901])


if __name__ == "__main__":
    unittest.main()
