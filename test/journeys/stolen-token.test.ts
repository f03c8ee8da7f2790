// A stolen token, as docs/how-to/on-call.md has the one on call end it: at a real gateway, by its token file, without a restart.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newWorkspace, serveBelay, tokenOf } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

test('a gateway reads its token file again: the old token ends, the new one and those of others count [ws.auth] [ops.log]', async () => {
  const workspace = newWorkspace();
  const belay = await serveBelay(endpoint, { workspace, config: { log: 'json' } });
  const [thief, bob] = [await connectRaw(belay.url), await connectRaw(belay.url)];
  await thief.hello(tokenOf('ann'));
  await bob.hello(tokenOf('bob'));

  const file = join(workspace.path, 'tokens.json');
  const fresh = 'another-token-of-ann-1';
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, `${text.slice(0, -1)},`); // an editor is writing: not whole yet
  await until(() => belay.child.stdout().includes('The tokens that were read before count on.'));
  writeFileSync(file, text.replace(tokenOf('ann'), fresh));
  expect(await thief.closed()).toEqual({ code: 4401, reason: 'unauthorized' });
  const { lines, warnings } = await until(() => {
    const all = belay.child
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    const found = all.filter(({ event }) => event === 'tokens');
    return found.length > 0 && { lines: found, warnings: all.filter(({ event }) => event === 'warning') };
  });
  expect(lines).toMatchObject([{ level: 'info', added: 1, revoked: 1 }]);
  expect(warnings.length).toBeGreaterThan(0); // more where the file was read while it was empty
  expect(belay.child.stdout()).not.toContain(fresh);

  expect(await (await connectRaw(belay.url)).hello(fresh)).toMatchObject({ speaker: 'ann' });
  const again = await connectRaw(belay.url);
  again.send({ type: 'HELLO', token: tokenOf('ann') });
  expect(await again.closed()).toEqual({ code: 4401, reason: 'unauthorized' });
  bob.send({ type: 'PING', ref: 'bob' });
  await bob.waitFor('pong', { ref: 'bob' });
});
