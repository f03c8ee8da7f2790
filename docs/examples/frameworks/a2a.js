// An agent of Belay that speaks A2A 1.0: `CancelTask` is a CANCEL, and the task ends when everything that ran has ended, with the receipt in its metadata.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { TaskState } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { assertEnded, closeRuntime, startRuntime, untilBuilding } from './belay.js';

const belay = await startRuntime();

/** A context of A2A is a session of Belay, a task a turn. */
class BelayExecutor {
  #turns = new Map();

  async execute({ taskId, contextId, userMessage }, bus) {
    const session = await belay.runtime.session(contextId);
    await using speaker = session.as('ann'); // in life: the user of the request's context
    const task = { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: {} };
    bus.publish(AgentEvent.task({ ...task, status: statusOf(TaskState.TASK_STATE_WORKING) }));
    const turn = speaker.say(textOf(userMessage));
    this.#turns.set(taskId, turn);
    const { texts, end, receipt } = await turn.summary();
    this.#turns.delete(taskId);
    const artifact = { artifactId: 'answer', name: '', description: '', parts: texts.map(textPart), extensions: [] };
    const place = { taskId, contextId, metadata: {} };
    if (texts.length > 0)
      bus.publish(AgentEvent.artifactUpdate({ ...place, artifact, append: false, lastChunk: true }));
    const status = statusOf(states[end.outcome] ?? states.failed);
    bus.publish(AgentEvent.statusUpdate({ ...place, status, metadata: { receipt } }));
    bus.finished();
  }

  async cancelTask(taskId) {
    await this.#turns.get(taskId)?.cancel().settled; // `execute` publishes the end
  }
}

const states = {
  completed: TaskState.TASK_STATE_COMPLETED,
  cancelled: TaskState.TASK_STATE_CANCELED,
  failed: TaskState.TASK_STATE_FAILED,
};
const statusOf = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });
const textPart = (value) => ({ content: { $case: 'text', value }, filename: '', mediaType: 'text/plain' });
const textOf = ({ parts }) => parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('\n');

const app = express();
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
const card = {
  name: 'Belay',
  description: 'Builds the project.',
  version: '1.0.0',
  supportedInterfaces: [{ url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
  capabilities: { streaming: true, pushNotifications: false, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new BelayExecutor());
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));

const client = await new ClientFactory().createFromUrl(url);
const messageOf = (text) => ({
  message: { messageId: crypto.randomUUID(), role: 1, parts: [textPart(text)], extensions: [], referenceTaskIds: [] },
});

const done = await client.sendMessage(messageOf('look around'));
assert.equal(done.status.state, TaskState.TASK_STATE_COMPLETED);
assert.equal(textOf(done.artifacts[0]), 'Done: look around.');

let task = '';
let pid = 0;
for await (const { payload } of client.sendMessageStream(messageOf('run the build'))) {
  if (payload.$case === 'task') task = payload.value.id;
  if (pid > 0 || task === '') continue;
  pid = await untilBuilding(belay);
  const stopped = await client.cancelTask({ id: task });
  assert.equal(stopped.status.state, TaskState.TASK_STATE_CANCELED);
  assertEnded(pid);
}
console.log('the task is cancelled, and its process has ended');

server.close();
server.closeAllConnections();
await closeRuntime(belay);
