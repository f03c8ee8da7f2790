// Records the URL of every module that a process loads, one a line, in the file RECORD_MODULES. For `node --import`.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['RECORD_MODULES'];
if (file === undefined) throw new Error('RECORD_MODULES must name a file');

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(file, `${url}\n`);
    return nextLoad(url, context);
  },
});
