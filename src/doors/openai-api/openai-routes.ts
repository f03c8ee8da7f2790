// OpenAI's API: Chat Completions, Responses, and the list of models, which are the profiles that the speaker may use.
import * as z from 'zod';
import { type HttpRoute, route } from '../../gateway/http/route.ts';
import { type DoorSettings, profilesFor } from '../door-turns/door-profiles.ts';
import { createChatRoutes } from './chat-routes.ts';
import { openAIDoor } from './openai-error.ts';
import { createResponseRoutes } from './response-routes.ts';

/** Returns the routes of the door. */
export function createOpenAIRoutes(settings: DoorSettings): readonly HttpRoute[] {
  return [
    route({
      access: 'speaker',
      door: openAIDoor,
      method: 'GET',
      path: '/v1/models',
      operation: 'listOpenAIModels',
      summary: 'Lists the profiles that the speaker may use, as models.',
      kind: 'request',
      replies: { 200: { description: 'The profiles.', schema: z.looseObject({ object: z.literal('list') }) } },
      handle: (_input, { caller }) => ({
        status: 200,
        body: { object: 'list', data: [...profilesFor(settings, caller.speaker.id).keys()].map(modelOf) },
      }),
    }),
    ...createChatRoutes(settings),
    ...createResponseRoutes(settings),
  ];
}

const modelOf = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'belay' });
