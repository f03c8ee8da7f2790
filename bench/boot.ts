// Measures how long a server takes from the start of its process until it listens, and how much CPU time.
//
// What is measured. A whole process, Node's own start included: Belay's gateway with its tools, configured as by `npm start`, and the floor
// (bench/floor/server.ts: a minimal server for comparison). They are started alternately; a figure is the median of the starts.
//
// What is NOT measured. The first session, which loads the machines; the first model request, which loads the openai client; a store with
// sessions to recover; npm; a cold disk.
import { contestantNames, openStand } from './stand/contestants.ts';
import { now } from './stand/now.ts';
import { readOptions } from './stand/options.ts';
import { rotate } from './stand/statistics.ts';
import { emptyMeasurements, printTable } from './stand/table.ts';

const options = readOptions();
const rounds = options.quick ? 5 : 15;

await using stand = await openStand(options);
const times = emptyMeasurements();
const cpu = emptyMeasurements();
for (let round = 0; round < rounds; round++) {
  for (const name of rotate(contestantNames, round)) {
    const startedAt = now();
    const contestant = await stand.start(name);
    times[name].push(now() - startedAt);
    cpu[name].push((await contestant.cpu()) / 1_000);
    await contestant.close();
  }
}
printTable(`${rounds} starts`, 'milliseconds until it listens', [{ name: 'boot', values: times }]);
printTable(`${rounds} starts`, 'milliseconds of CPU until then, user and system, of all threads', [
  { name: 'boot', values: cpu },
]);
