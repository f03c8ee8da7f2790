// The agents that the turns of a terminal have detached.
import { expect, test } from 'vitest';
import type { ClientSession } from '../../src/client/joined-session.ts';
import { OwnAgents } from '../../src/programs/own-agents.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';

/** A session that a test sends frames to; only the fields that are read are there. */
function heldAgents() {
  let send = (_: ServerFrame) => {};
  const session = {
    on(_: string, listener: (frame: ServerFrame) => void) {
      send = listener;
      return () => {};
    },
  };
  const agents = new OwnAgents(session as Pick<ClientSession, 'on'>, (ref) => ref === 'mine'); // it listens to '*' only
  return { agents, receive: (frame: object) => send(frame as ServerFrame) }; // parts of frames
}

test('are those of its turns and of the sub-agents below them, until they end; not those of other turns [cli.chat]', () => {
  const { agents, receive } = heldAgents();
  receive({ type: 'turn_opened', turn: 't1', ref: 'mine' });
  receive({ type: 'turn_opened', turn: 't2', ref: 'other' });
  receive({ type: 'tool_call', turn: 't1', node: 'agent_1' });
  receive({ type: 'turn_started', turn: 't3', parent: 'agent_1' });
  receive({ type: 'turn_opened', turn: 'a1', ref: null, from: 't3' });
  receive({ type: 'turn_opened', turn: 'a2', ref: null, from: 't2' });
  receive({ type: 'turn_opened', turn: 'a3', ref: null, from: 'a1' });
  receive({ type: 'turn_ended', turn: 't1' });
  agents.forgetNodes(); // it keeps what may still come of an agent that runs
  receive({ type: 'turn_opened', turn: 'a4', ref: null, from: 'a3' });
  expect(agents.running).toEqual(['a1', 'a3', 'a4']);
  for (const turn of ['a1', 'a3', 'a4']) receive({ type: 'turn_ended', turn });
  expect(agents.running).toEqual([]);
  agents.forgetNodes();
  receive({ type: 'turn_opened', turn: 'a5', ref: null, from: 't1' });
  expect(agents.running).toEqual([]);
});
