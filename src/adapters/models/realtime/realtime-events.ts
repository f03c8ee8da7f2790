// The events of the Realtime API that are sent and read here, by the types of the openai client.
import type * as Realtime from 'openai/resources/realtime/realtime';

export type RealtimeItem = Realtime.ConversationItem;
export type RealtimeServerEvent = Realtime.RealtimeServerEvent;
export type RealtimeClientEvent = Realtime.RealtimeClientEvent | Realtime.ResponseCreateEventWithReferencesParam;
export type ResponseBody = Realtime.RealtimeResponse;
export type SessionUpdate = Realtime.RealtimeSessionCreateRequest;
export type ResponseParams = Realtime.RealtimeResponseCreateParamsWithReferencesParam;
