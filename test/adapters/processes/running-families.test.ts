// The look at the processes of a node: whether all that were started for it have ended, also before their exits are read.
import { afterEach, describe, expect, test } from 'vitest';
import { runningFamilies } from '../../../src/adapters/processes/running-families.ts';
import { until } from '../../support/until.ts';
import { endAll, livingInGroup, runShell } from './processes.ts';

afterEach(endAll);

async function runMarked(marker: string, command: string) {
  const running = runShell(['-c', command], { marker });
  await until(() => running.printed().includes('ready'), { what: 'the command to run' });
  return running;
}

/** Kills a group, and returns when the system says that it is dead. The event loop has not turned by then. */
function killUnread(group: number): void {
  process.kill(-group, 'SIGKILL');
  for (let looks = 0; livingInGroup(group).length > 0; looks++) {
    if (looks === 1_000) throw new Error(`The group ${group} does not die.`);
  }
}

describe('the processes of a node', () => {
  test('have ended, when all are dead and their exits are not read yet [cancel.bounded]', async () => {
    const running = await runMarked('call_dead', 'sleep 600 & echo ready; wait');
    killUnread(running.started().group);
    expect(await runningFamilies.areEnding('call_dead')).toBe(true);
    await running.end;
  });

  test.for([
    { name: 'the first', command: 'echo ready; sleep 600' },
    { name: 'one without the marker', command: 'echo ready; exec env -i sleep 600' },
  ])('have not ended, while one of them lives: $name [cancel.bounded]', async ({ command }) => {
    await runMarked('call_alive', `trap '' TERM; ${command}`);
    expect(await runningFamilies.areEnding('call_alive')).toBe(false);
  });

  test('are ending, while what the first one has left still has the grace after its TERM [cancel.bounded]', async () => {
    await runMarked('call_grace', `trap '' TERM; setsid sh -c "echo ready; sleep 600; :" &`);
    await until(() => runningFamilies.areEnding('call_grace'), { what: 'the end of the first process' });
  });

  test('have not ended, if there were none, or if their end has been read [cancel.bounded]', async () => {
    const running = await runMarked('call_over', 'echo ready');
    await running.end;
    expect(await runningFamilies.areEnding('call_over')).toBe(false);
    expect(await runningFamilies.areEnding('call_none')).toBe(false);
  });
});
