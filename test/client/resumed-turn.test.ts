// `session.resume`: over a socket, through a bridge, after a break of the connection, inside the process, and in a view.
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { CommandRefused } from '../../src/client/errors.ts';
import { SessionView } from '../../src/client/view/session-view.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { createCheckedClient } from '../support/checked-client.ts';
import { startGateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';

const authenticator = createTokenAuthenticator({
  'token-of-ann-000001': { speaker: 'ann', sessions: ['*'] },
  'token-of-room-00001': { speaker: 'room', sessions: ['*'], roles: ['bridge'] },
});

/** A model that thinks for ever about `work`, and answers everything else. */
async function start() {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond({ messages }) {
      const said = String(messages.at(-1)?.content);
      return { steps: said.endsWith('work') ? [{ text: 'I ' }, { waitMs: 600_000 }] : [{ text: said }] };
    },
  });
  const runtime = await createRuntime({ provider, acknowledge: 'off' });
  onTestFinished(() => runtime.close());
  const { url } = await startGateway({ runtime, authenticator });
  const proxy = await startProxy({ target: url });
  const enter = (name: 'ann' | 'room') => {
    const token = { ann: 'token-of-ann-000001', room: 'token-of-room-00001' }[name];
    const client = createCheckedClient({
      url: proxy.url,
      token,
      reconnect: { minMs: 1, maxMs: 10 },
      whileDisconnected: 'wait',
    });
    onTestFinished(() => client.close());
    return client.session('s', { after: 0 });
  };
  return { runtime, proxy, enter };
}

/** The id of a turn that was stopped while its model spoke. */
async function interrupt(session: ReturnType<Awaited<ReturnType<typeof start>>['enter']>, as?: string) {
  const turn = session.say('work', { as });
  for await (const { type } of turn) if (type === 'text_delta') void turn.cancel(as === undefined ? {} : { as });
  return turn.opened;
}

describe('session.resume', () => {
  test('is a turn in flight like that of say; a view marks what may be resumed and what was [recover.resume]', async () => {
    const { enter } = await start();
    const session = enter('ann');
    const view = new SessionView(session);
    const turn = await interrupt(session);
    const marks = () =>
      view.getSnapshot().turns.map(({ resumes, resumedBy, isResumable }) => ({ resumes, resumedBy, isResumable }));
    expect(marks()).toEqual([{ resumes: null, resumedBy: null, isResumable: true }]);
    const resumed = session.resume(turn, { text: 'shorter, please' });
    expect(await resumed.reply()).toMatch(/ann has asked to take up again[\s\S]*shorter, please$/);
    const id = await resumed.opened;
    expect(marks()).toEqual([
      { resumes: null, resumedBy: id, isResumable: false },
      { resumes: turn, resumedBy: null, isResumable: false },
    ]);
    const again = session.resume(turn).opened;
    await expect(again).rejects.toThrow(CommandRefused);
    await expect(again).rejects.toMatchObject({ code: 'already_resumed' });
  });

  test('through a bridge, for the speaker whose turn it was and for no other [recover.resume] [owner.identity]', async () => {
    const { enter } = await start();
    const room = enter('room');
    const turn = await interrupt(room, 'zoe');
    await expect(room.resume(turn, { as: 'bob' }).opened).rejects.toMatchObject({ code: 'turn_of_another' });
    await expect(enter('ann').resume(turn, { as: 'zoe' }).opened).rejects.toMatchObject({ code: 'as_not_allowed' });
    const resumed = room.resume(turn, { as: 'zoe' });
    expect(await resumed.reply()).toContain('zoe has asked to take up again');
  });

  test('that got lost with its connection is sent again, and opens one turn [recover.resume] [ws.resume]', async () => {
    const { proxy, enter } = await start();
    const session = enter('ann');
    const turn = await interrupt(session);
    const opened: string[] = [];
    session.on('turn_opened', (frame) => opened.push(frame.turn));
    proxy.cutAll();
    const resumed = session.resume(turn);
    expect(await resumed.reply()).toContain('ann has asked to take up again');
    expect(opened).toEqual([await resumed.opened]);
  });

  test('inside the process [recover.resume]', async () => {
    const { runtime } = await start();
    const ann = (await runtime.session('s')).as('ann');
    const turn = ann.say('work');
    for await (const { type } of turn) if (type === 'text_delta') void turn.cancel();
    expect(await ann.resume(await turn.opened).reply()).toContain('ann has asked to take up again');
  });
});
