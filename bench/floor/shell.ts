// The floor's shell tool: a process in a group of its own; TERM at the abort, KILL after the grace, over when its output is closed.
import { spawn } from 'node:child_process';
import type { FloorTool } from './turn.ts';

const maxOutputChars = 32_768;

export const floorShellTool = (graceMs: number): FloorTool => ({
  name: 'shell',
  description: 'Runs a command with /bin/sh.',
  parameters: {
    type: 'object',
    properties: { command: { type: 'string' }, cwd: { type: 'string' } },
    required: ['command'],
  },
  run: ({ command, cwd }, { signal, output }) =>
    new Promise((resolve, reject) => {
      const child = spawn('/bin/sh', ['-c', `exec 2>&1; ${command}`], {
        ...(typeof cwd === 'string' && { cwd }),
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      let killer: NodeJS.Timeout | undefined;
      const stop = () => {
        signalGroup(child.pid, 'SIGTERM');
        killer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
      };
      signal.addEventListener('abort', stop);
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        text = (text + piece).slice(-maxOutputChars);
        output(piece);
      });
      child.on('error', reject);
      // nobody holds the pipe any more: who is left of the group has redirected its output
      child.on('close', (code, by) => {
        signal.removeEventListener('abort', stop);
        clearTimeout(killer);
        signalGroup(child.pid, 'SIGKILL');
        resolve(`${text}[${by ?? `exit code ${code}`}]`);
      });
    }),
});

function signalGroup(group: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (group !== undefined) process.kill(-group, signal);
  } catch {
    // nothing of it is left
  }
}
