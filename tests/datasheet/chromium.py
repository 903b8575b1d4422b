"""A headless Chromium without packages of Python: its DevTools protocol over two pipes."""
import base64
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def program():
    """Path of the browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """A page in a browser. Events of the kinds in WATCHED are kept in `events`."""

    WATCHED = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Network.requestWillBeSent")

    def __init__(self, path, profile):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        arguments = [path, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--no-first-run", "--disable-extensions", "--disable-dev-shm-usage", f"--user-data-dir={profile}"]

        def connect():  # the browser reads descriptor 3 and writes 4
            saved = os.dup(to_browser), os.dup(from_browser)
            os.dup2(saved[0], 3)
            os.dup2(saved[1], 4)

        self._process = subprocess.Popen(arguments, preexec_fn=connect, pass_fds=(3, 4, to_browser, from_browser),
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                         start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number, self._session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _message(self):
        while b"\0" not in self._buffer:
            read = os.read(self._in, 1 << 20)
            if not read:
                raise RuntimeError("the browser ended")
            self._buffer += read
        text, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") in self.WATCHED:
            self.events.append(message)
        return message

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def view(self, width, height=900, scheme="light", media="screen"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """Loads a file; what happened before is forgotten."""
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["text"])
        return result["result"].get("value")

    def screenshot(self, path, whole=True, clip=None):
        more = {"clip": {**clip, "scale": 1}} if clip else {}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **more)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def pdf(self, path):
        self.call("Emulation.setEmulatedMedia", media="print", features=[])
        data = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        os.close(self._out)
        os.close(self._in)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@contextlib.contextmanager
def browser():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        opened = Browser(program(), profile)
        try:
            yield opened
        finally:
            opened.close()
