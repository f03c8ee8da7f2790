// The drawings of all machines, by their ids (npm run draw).
import type { ChartDrawing } from './chart-drawing.ts';
import connection from './drawings/connection.json' with { type: 'json' };
import session from './drawings/session.json' with { type: 'json' };
import speech from './drawings/speech.json' with { type: 'json' };
import subAgent from './drawings/sub-agent.json' with { type: 'json' };
import toolCall from './drawings/tool-call.json' with { type: 'json' };
import turn from './drawings/turn.json' with { type: 'json' };

/** In the order of a visit: from the conversation down to its parts. */
// scripts/drawings has written them; test/house/drawings.test.ts compares
export const chartDrawings = [session, turn, toolCall, subAgent, connection, speech] as readonly ChartDrawing[];

/** Returns the drawing of a machine; null: there is none. */
export const drawingOf = (chart: string): ChartDrawing | null => chartDrawings.find(({ id }) => id === chart) ?? null;
