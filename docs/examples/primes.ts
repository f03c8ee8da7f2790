// The code of an isolated tool: it blocks its own thread while it counts, and no other.
import type { IsolatedRun } from '@belay/runtime';

export const run: IsolatedRun<{ readonly below: number }> = ({ below }, { output }) => {
  output('counting\n');
  let primes = 0;
  for (let n = 2; n < below; n++) if (isPrime(n)) primes++;
  return `${primes} primes below ${below}`;
};

function isPrime(n: number): boolean {
  for (let by = 2; by * by <= n; by++) if (n % by === 0) return false;
  return true;
}
