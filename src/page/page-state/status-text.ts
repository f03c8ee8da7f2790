// The status of a session, as the list and the title of the tab name it.
import type { SessionStatus } from '../../../machines/vocabulary.ts';

export const statusTexts: Readonly<Record<SessionStatus, string>> = {
  asks: 'asks you',
  runs: 'runs',
  stopped: 'stopped',
  failed: 'failed',
  done: 'done',
  new: 'nothing said yet',
};
