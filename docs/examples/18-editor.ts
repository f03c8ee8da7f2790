// An editor's view of `belay acp`: the official client of the Agent Client Protocol says something, is asked, and stops what runs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'belay-example-')));
// in life: `belay acp --config belay.json`; with --demo a script plays the model, and its tools really run
const program = join(import.meta.dirname, '..', '..', 'src', 'programs', 'belay.ts');
const args = ['acp', '--demo', '--root', folder, '--allow', 'shell', '--store', 'memory'];
const belay = spawn(process.execPath, [program, ...args], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });

const running = Promise.withResolvers<void>();
const stream = ndJsonStream(
  Writable.toWeb(belay.stdin) as WritableStream<Uint8Array>,
  Readable.toWeb(belay.stdout) as ReadableStream<Uint8Array>,
);
const { agent } = client({ name: 'little-editor' })
  .onNotification(methods.client.session.update, ({ params: { update } }) => {
    if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
      process.stdout.write(update.content.text);
    if (update.sessionUpdate === 'tool_call') console.log(`\n- ${update.kind}: ${update.title}`);
    if (update.sessionUpdate === 'tool_call_update' && update.status === 'in_progress') running.resolve();
  })
  .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
    const yes = options.find(({ kind }) => kind === 'allow_once');
    return { outcome: yes ? { outcome: 'selected', optionId: yes.optionId } : { outcome: 'cancelled' } };
  })
  .connect(stream);

await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
const prompted = agent.request(methods.agent.session.prompt, {
  sessionId,
  prompt: [{ type: 'text', text: 'research this and run the build' }],
});
await running.promise;
await agent.notify(methods.agent.session.cancel, { sessionId });
const { stopReason, _meta } = await prompted;
assert.equal(stopReason, 'cancelled');
console.log(`\n${stopReason}: ${JSON.stringify(_meta?.['belay'])}`);

belay.stdin.end(); // the end of stdin is a shutdown
const [code] = await once(belay, 'exit');
assert.equal(code, 0);
rmSync(folder, { recursive: true });
