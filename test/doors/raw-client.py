# A client of the network doors without any library: Python's http.client and json, written from docs/how-to alone. Prints one JSON object for each case.
#
#   python3 raw-client.py ADDRESS TOKEN FOLDER
#
# A tool that is held writes FOLDER/<door>-<case> when it runs, so that the client stops in the middle of it.
import http.client
import json
import os
import sys
import threading
import time
from urllib.parse import quote, urlsplit

address = urlsplit(sys.argv[1])
token = sys.argv[2]
folder = sys.argv[3]


class Reply:
    """A request and its reply, which is read as JSON or as server-sent events."""

    def __init__(self, method, path, body=None, headers=None):
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        sent = {"Authorization": "Bearer " + token, "Content-Type": "application/json", **(headers or {})}
        self.connection.request(method, path, None if body is None else json.dumps(body), sent)
        self.response = None

    def read_head(self):
        if self.response is None:
            self.response = self.connection.getresponse()
        return self.response

    def json(self):
        status, text = self.read_head().status, self.response.read()
        if status not in (200, 202):
            raise RuntimeError("%d: %s" % (status, text.decode()))
        return json.loads(text) if text else None

    def events(self):
        if self.read_head().status != 200:
            raise RuntimeError("%d: %s" % (self.response.status, self.response.read().decode()))
        for line in self.response:
            text = line.decode().rstrip("\n")
            if text.startswith("data: ") and text != "data: [DONE]":
                yield json.loads(text[len("data: "):])

    def close(self):
        """Closes the connection, whatever is still to come."""
        if self.response is not None:
            self.response.close()
        self.connection.close()


def wait_for(find):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = find()
        if found:
            return found
        time.sleep(0.1)
    raise RuntimeError("nothing came within 60 s")


def wait_for_tool(door, case):
    wait_for(lambda: os.path.exists(os.path.join(folder, door + "-" + case)))


def settled_in(session):
    """The receipt of the last stop in a session, from its facts."""
    def find():
        events = Reply("GET", "/api/sessions/" + quote(session, safe="") + "/events").json()["events"]
        return next((fact for fact in reversed(events) if fact["type"] == "cancel_settled"), None)
    return wait_for(find)


printing = threading.Lock()


def print_line(line):
    with printing:
        print(json.dumps(line), flush=True)


def show(door, case, receipt=None, **more):
    """Prints what became of a case: of a receipt its cause, and how each node has ended."""
    line = {"door": door, "case": case, **more}
    if receipt is not None:
        line["source"] = receipt["cause"]["source"]
        line["by"] = receipt["cause"]["by"]
        line["name"] = receipt["cause"].get("door")
        line["nodes"] = sorted([node["kind"], node["outcome"]] for node in receipt["nodes"])
    print_line(line)


# --- docs/how-to/openai.md ---

def openai_body(words, **more):
    return {"model": "belay", "messages": [{"role": "user", "content": words}], **more}


def openai_turn():
    answer = Reply("POST", "/v1/chat/completions", openai_body("finish openai")).json()
    calls = [[call["name"], call["outcome"]] for call in answer["belay"]["calls"]]
    show("openai", "turn", text=answer["choices"][0]["message"]["content"], calls=calls, outcome=answer["belay"]["outcome"])
    stream = Reply("POST", "/v1/chat/completions", openai_body("finish openai", stream=True)).events()
    deltas = [chunk["choices"][0]["delta"].get("content") or "" for chunk in stream if chunk["choices"]]
    show("openai", "stream", text="".join(deltas))


def openai_closed():
    headers = {"X-Belay-Session": "openai-closed"}
    reply = Reply("POST", "/v1/chat/completions", openai_body("hold openai-closed", stream=True), headers)
    wait_for_tool("openai", "closed")
    reply.close()
    show("openai", "closed", settled_in("openai-closed"))


def openai_stopped():
    body = {"model": "belay", "input": "hold openai-stopped", "background": True}
    started = Reply("POST", "/v1/responses", body).json()
    wait_for_tool("openai", "stopped")
    stopped = Reply("POST", "/v1/responses/" + started["id"] + "/cancel").json()
    show("openai", "stopped", stopped["belay"]["receipt"], status=stopped["status"])
    again = Reply("GET", "/v1/responses/" + started["id"]).json()
    show("openai", "retrieved", status=again["status"])


# --- docs/how-to/use-chat.md ---

def ui_body(words):
    return {"trigger": "submit-message", "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": words}]}]}


def ui_parts(parts):
    return {
        "text": "".join(part["delta"] for part in parts if part["type"] == "text-delta"),
        "tool": "".join(part["toolName"] for part in parts if part["type"] == "tool-input-available"),
        "ended": [part["type"] for part in parts if part["type"].startswith("tool-output") or part["type"] == "abort"],
        "last": parts[-1]["type"],
    }


def ui_turn():
    parts = list(Reply("POST", "/api/ui/ui-turn", ui_body("finish ui")).events())
    show("ui", "turn", **ui_parts(parts))


def ui_closed():
    reply = Reply("POST", "/api/ui/ui-closed", ui_body("hold ui-closed"))
    wait_for_tool("ui", "closed")
    reply.close()
    show("ui", "closed", settled_in("ui-closed"))


def ui_stopped():
    stream = Reply("POST", "/api/ui/ui-stopped", ui_body("hold ui-stopped"))
    wait_for_tool("ui", "stopped")
    stopped = Reply("POST", "/api/ui/ui-stopped/stop", {}).json()
    show("ui", "stopped", stopped["receipt"])
    parts = list(stream.events())
    receipt = [part["data"] for part in parts if part["type"] == "data-receipt"][-1]
    show("ui", "ended", receipt, **ui_parts(parts))


# --- docs/how-to/ag-ui.md ---

def run_agent(thread, run, words=None, state=None):
    messages = [] if words is None else [{"id": "m1", "role": "user", "content": words}]
    more = {} if state is None else {"state": state}
    body = {"threadId": thread, "runId": run, "messages": messages, "tools": [], "context": [], **more}
    return Reply("POST", "/api/ag-ui/belay", body)


def run_of(events):
    return {
        "text": "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"),
        "tool": "".join(event["toolCallName"] for event in events if event["type"] == "TOOL_CALL_START"),
        "outcome": events[-1].get("outcome", {}).get("type"),
        "last": events[-1]["type"],
    }


def receipt_of(events):
    receipts = [event["value"] for event in events if event["type"] == "CUSTOM" and event["name"] == "belay.receipt"]
    return receipts[-1]


def ag_ui_turn():
    show("ag-ui", "turn", **run_of(list(run_agent("ag-ui-turn", "run-1", "finish ag-ui").events())))


def ag_ui_closed():
    reply = run_agent("ag-ui-closed", "run-1", "hold ag-ui-closed")
    state = next(event["snapshot"] for event in reply.events() if event["type"] == "STATE_SNAPSHOT")
    wait_for_tool("ag-ui", "closed")
    reply.close()
    events = list(run_agent("ag-ui-closed", "run-2", state=state).events())
    show("ag-ui", "closed", receipt_of(events), **run_of(events))


def ag_ui_stopped():
    run = run_agent("ag-ui-stopped", "run-1", "hold ag-ui-stopped")
    wait_for_tool("ag-ui", "stopped")
    receipt = Reply("POST", "/api/sessions/ag-ui-stopped/abort?wait=settled", {"target": "mine"}).json()
    show("ag-ui", "stopped", receipt)
    events = list(run.events())
    show("ag-ui", "ended", receipt_of(events), **run_of(events))


# --- docs/how-to/mcp-server.md ---

class Mcp:
    """A session of MCP, revision 2025-11-25, over streamable HTTP."""

    def __init__(self):
        self.headers = {"Accept": "application/json, text/event-stream"}
        client = {"name": "raw", "version": "1"}
        hello = self.request(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        for message in hello.events():
            self.revision = message["result"]["protocolVersion"]
        self.headers["Mcp-Session-Id"] = hello.response.getheader("Mcp-Session-Id")
        self.headers["MCP-Protocol-Version"] = self.revision
        self.notify("notifications/initialized", {})

    def request(self, id, method, params):
        return Reply("POST", "/mcp", {"jsonrpc": "2.0", "id": id, "method": method, "params": params}, self.headers)

    def notify(self, method, params):
        return Reply("POST", "/mcp", {"jsonrpc": "2.0", "method": method, "params": params}, self.headers).json()

    def result(self, id, method, params):
        return next(message["result"] for message in self.request(id, method, params).events() if message.get("id") == id)

    def say(self, id, words, session):
        return self.request(id, "tools/call", {"name": "belay", "arguments": {"prompt": words, "session": session}})

    def settled_in(self, session):
        def find():
            uri = "belay://sessions/" + quote(session, safe="") + "/cancels"
            cancels = json.loads(self.result(90, "resources/read", {"uri": uri})["contents"][0]["text"])["cancels"]
            return next((cancel for cancel in cancels if cancel["state"] == "settled"), None)
        return wait_for(find)

    def close(self):
        Reply("DELETE", "/mcp", None, self.headers).read_head()


def show_cancel(case, cancel, **more):
    nodes = sorted([node["kind"], node["end"]["outcome"]] for node in cancel["nodes"])
    print_line({"door": "mcp", "case": case, "reason": cancel["reason"], "nodes": nodes, **more})


def mcp_turn():
    mcp = Mcp()
    names = [tool["name"] for tool in mcp.result(2, "tools/list", {})["tools"]]
    arguments = {"prompt": "finish mcp", "session": "mcp-turn"}
    said = mcp.result(3, "tools/call", {"name": "belay", "arguments": arguments})
    calls = [[call["name"], call["outcome"]] for call in said["structuredContent"]["calls"]]
    show("mcp", "turn", tools=names, text=said["content"][0]["text"], calls=calls, outcome=said["structuredContent"]["outcome"])
    mcp.close()


def mcp_closed():
    mcp = Mcp()
    reply = mcp.say(2, "hold mcp-closed", "mcp-closed")
    wait_for_tool("mcp", "closed")
    reply.close()
    show_cancel("closed", mcp.settled_in("mcp-closed"))
    mcp.close()


def mcp_stopped():
    mcp = Mcp()
    reply = mcp.say(2, "hold mcp-stopped", "mcp-stopped")
    wait_for_tool("mcp", "stopped")
    mcp.notify("notifications/cancelled", {"requestId": 2, "reason": "not now"})
    answers = [message for message in reply.events() if message.get("id") == 2]
    show_cancel("stopped", mcp.settled_in("mcp-stopped"), answers=answers)
    mcp.close()


cases = [openai_turn, openai_closed, openai_stopped, ui_turn, ui_closed, ui_stopped]
cases += [ag_ui_turn, ag_ui_closed, ag_ui_stopped, mcp_turn, mcp_closed, mcp_stopped]
failed = []


def run_case(case):
    try:
        case()
    except Exception as error:
        failed.append(case)
        print_line({"door": case.__name__, "case": "failed", "why": repr(error)})


threads = [threading.Thread(target=run_case, args=[case]) for case in cases]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(1 if failed else 0)
