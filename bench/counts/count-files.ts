// Counts the files that a program loads until it prints something: imported before it, and sent to its parent.
import { registerHooks } from 'node:module';

let files = 0;
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) files++;
    return nextLoad(url, context);
  },
});
const { stdout } = process;
const write = stdout.write.bind(stdout);
stdout.write = (...args: unknown[]) => {
  stdout.write = write;
  process.send?.(files);
  return Reflect.apply(write, stdout, args);
};
