// The routes of the doors that are configured. Each door is loaded only if it is.
import type { HttpRoute } from '../gateway/http/route.ts';
import type { DoorSettings, TokenSettings } from './door-turns/door-profiles.ts';

const loaders: Readonly<
  Record<DoorSettings['door'], (settings: DoorSettings, tokens: TokenSettings) => Promise<readonly HttpRoute[]>>
> = {
  openai: async (settings) => (await import('./openai-api/openai-routes.ts')).createOpenAIRoutes(settings),
  mcp: async (settings, tokens) => (await import('./mcp-server/mcp-routes.ts')).createMcpRoutes(settings, tokens),
  'ag-ui': async (settings) => (await import('./ag-ui/ag-ui-routes.ts')).createAGUIRoutes(settings),
  'ui-stream': async (settings) => (await import('./ui-stream/ui-routes.ts')).createUIRoutes(settings),
};

/** Resolves with the routes of all doors, in the order of the settings. */
export async function loadDoorRoutes(
  doors: readonly DoorSettings[],
  tokens: TokenSettings,
): Promise<readonly HttpRoute[]> {
  const routes = await Promise.all(doors.map((settings) => loaders[settings.door](settings, tokens)));
  return routes.flat();
}
