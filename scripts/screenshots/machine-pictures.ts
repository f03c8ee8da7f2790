// Pictures of the machines without a session: the statechart of each.
import type { Screenshot } from './chat-pictures.ts';

/** A statechart with one of its states chosen. */
const pictureOf = (machine: string, chosen: string): Screenshot => ({
  name: `machine-${machine}`,
  async take(stage) {
    const page = await stage.open(await stage.startTour());
    await page.getByRole('link', { name: 'Inspector', exact: true }).waitFor();
    await page.evaluate(`location.assign('#/machines/${machine}/${chosen}')`);
    await page.getByRole('img', { name: `Statechart of ${machine}.` }).waitFor();
    return page;
  },
});

export const machinePictures: readonly Screenshot[] = [
  pictureOf('turn', 'settling'),
  pictureOf('tool-call', 'running.abandoned'),
  pictureOf('sub-agent', 'delegating.interrupted'),
  pictureOf('session', 'open'),
  pictureOf('connection', 'closing'),
  pictureOf('speech', 'paused'),
];
