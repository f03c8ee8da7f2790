// A little coding agent that speaks the Agent Client Protocol: it asks before it writes, and stops on `session/cancel`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';

let cwd = '.';
let stop = new AbortController();

agent({ name: 'little-coder' })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1 }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    cwd = params.cwd;
    writeFileSync(join(cwd, 'pid'), String(process.pid));
    return { sessionId: 'only-one' };
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    stop = new AbortController();
    const [task] = prompt;
    const say = (text: string) =>
      client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
      });
    if (task?.type === 'text' && task.text.includes('think')) {
      await say('Hm, let me see. ');
      await sleep(600_000, undefined, { signal: stop.signal }).catch(() => {});
      return { stopReason: 'cancelled' };
    }
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall: { toolCallId: 'write', title: 'Write hello.txt', kind: 'edit' },
      options: [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    });
    if (outcome.outcome === 'cancelled') return { stopReason: 'cancelled' };
    if (outcome.optionId === 'yes') writeFileSync(join(cwd, 'hello.txt'), 'hello');
    await say(outcome.optionId === 'yes' ? 'I have written it.' : 'I was not allowed to.');
    return { stopReason: 'end_turn' };
  })
  .onNotification(methods.agent.session.cancel, () => stop.abort())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
