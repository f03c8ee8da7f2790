// The routes of who may be in a session: members, invite links, and who may stop what is another's.
import * as z from 'zod';
import { roomRoles } from '../../../machines/vocabulary.ts';
import {
  delegateSchema,
  inviteLinkSchema,
  inviteSchema,
  inviteSecretSchema,
  removeSchema,
  revokeSchema,
} from '../../wire/client-frames.ts';
import { keyHeader, sessionParams } from './common-schemas.ts';
import { asOwner } from './owner-command.ts';
import { HttpProblem } from './problems.ts';
import { route } from './route.ts';

const { speaker, role } = inviteSchema.shape;
const { ms } = inviteLinkSchema.shape;
const { target, until } = delegateSchema.shape;
const roleSchema = z.enum(roomRoles);
const refOf = (headers: { readonly 'idempotency-key'?: string | undefined }) => headers['idempotency-key'];

export const roomRoutes = [
  route({
    method: 'POST',
    path: '/api/sessions/:session/members',
    operation: 'inviteMember',
    summary:
      'Makes a speaker a member of a session, or gives a member another role there. For the owner of the session, and moderators.',
    access: 'speaker',
    kind: 'request',
    schemas: { params: sessionParams, headers: keyHeader, body: z.strictObject({ speaker, role }) },
    replies: {
      200: {
        description: 'The speaker is a member. `repeated`: they were before, and nothing was written.',
        schema: z.object({ session: z.string(), speaker: z.string(), repeated: z.boolean() }),
      },
    },
    problems: [['access_denied', 403], 'too_many_members'],
    async handle({ params: { session }, headers, body }, call) {
      const { services, caller } = call;
      const request = { ...body, ref: refOf(headers) };
      const reply = await asOwner(session, call, () => services.runtime.invite(session, caller, request));
      if (reply.type !== 'member_invited') throw new HttpProblem(reply.type, { limit: reply.limit });
      return { status: 200, body: { session, speaker: body.speaker, repeated: reply.repeated } };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:session/members/:speaker',
    operation: 'removeMember',
    summary: 'Makes a speaker a member no more. For the owner of the session, and moderators.',
    access: 'speaker',
    kind: 'request',
    schemas: { params: sessionParams.extend({ speaker: removeSchema.shape.speaker }), headers: keyHeader },
    replies: {
      200: {
        description: 'The speaker is no member. `repeated`: they were none before, and nothing was written.',
        schema: z.object({ session: z.string(), speaker: z.string(), repeated: z.boolean() }),
      },
    },
    problems: [['access_denied', 403]],
    async handle({ params: { session, speaker: removed }, headers }, call) {
      const { services, caller } = call;
      const request = { speaker: removed, ref: refOf(headers) };
      const { repeated } = await asOwner(session, call, () => services.runtime.remove(session, caller, request));
      return { status: 200, body: { session, speaker: removed, repeated } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:session/invites',
    operation: 'createInvite',
    summary: 'Makes a link that lets one speaker into a session, once. For the owner of the session, and moderators.',
    access: 'speaker',
    kind: 'request',
    schemas: { params: sessionParams, headers: keyHeader, body: z.strictObject({ role, ms }) },
    replies: {
      200: {
        description: 'The link. `secret` is what lets in; there is no other copy of it. `invite` names the link.',
        schema: z.object({
          session: z.string(),
          invite: z.string(),
          secret: z.string(),
          role: roleSchema,
          until: z.number(),
        }),
      },
    },
    problems: [['access_denied', 403], 'too_many_invites'],
    async handle({ params: { session }, headers, body }, call) {
      const { services, caller } = call;
      const request = { ...body, ref: refOf(headers) };
      const reply = await asOwner(session, call, () => services.runtime.createInvite(session, caller, request));
      if (reply.type !== 'invite_created') throw new HttpProblem(reply.type, { limit: reply.limit });
      const { created, secret } = reply;
      const { invite, role: given, until: end } = created;
      const noStore = { 'cache-control': 'no-store' };
      return { status: 200, headers: noStore, body: { session, invite, secret, role: given, until: end } };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:session/invites/:invite',
    operation: 'revokeInvite',
    summary: 'Revokes an invite link. For the owner of the session, and moderators.',
    access: 'speaker',
    kind: 'request',
    schemas: { params: sessionParams.extend({ invite: revokeSchema.shape.invite }), headers: keyHeader },
    replies: {
      200: {
        description: 'The link lets nobody in. `repeated`: it did not before, and nothing was written.',
        schema: z.object({ session: z.string(), invite: z.string(), repeated: z.boolean() }),
      },
    },
    problems: [['access_denied', 403]],
    async handle({ params: { session, invite }, headers }, call) {
      const { services, caller } = call;
      const request = { invite, ref: refOf(headers) };
      const { repeated } = await asOwner(session, call, () => services.runtime.revokeInvite(session, caller, request));
      return { status: 200, body: { session, invite, repeated } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:session/redeem',
    operation: 'redeemInvite',
    summary: 'Makes the speaker a member of a session by an invite link, once.',
    access: 'speaker',
    kind: 'request',
    schemas: { params: sessionParams, body: z.strictObject({ secret: inviteSecretSchema }) },
    replies: {
      200: {
        description: 'The speaker is a member. `repeated`: they were before, and the link was not used up.',
        schema: z.object({ session: z.string(), role: roleSchema, repeated: z.boolean() }),
      },
    },
    problems: ['bad_invite', 'too_many_members'],
    async handle({ params: { session }, body: { secret } }, { services, caller }) {
      const reply = await services.runtime.redeemInvite(session, caller, secret);
      if (reply.type !== 'redeemed') throw new HttpProblem(reply.type);
      return { status: 200, body: { session, role: reply.role, repeated: reply.repeated } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:session/delegations',
    operation: 'delegateStop',
    summary: "Names another speaker who may stop what is the speaker's in a session.",
    access: 'speaker',
    kind: 'request',
    schemas: { params: sessionParams, headers: keyHeader, body: z.strictObject({ speaker, target, until }) },
    replies: {
      200: {
        description: 'The delegation holds, or ends. `repeated`: nothing was written.',
        schema: z.object({ session: z.string(), speaker: z.string(), target: z.string(), repeated: z.boolean() }),
      },
    },
    problems: ['not_yours', 'too_many_delegations'],
    async handle({ params: { session }, headers, body }, { services, caller }) {
      const reply = await services.runtime.delegate(session, caller, { ...body, ref: refOf(headers) });
      if (reply.type === 'not_yours') throw new HttpProblem(reply.type, { field: 'target' });
      if (reply.type !== 'stop_delegated') throw new HttpProblem(reply.type, { limit: reply.limit });
      const { to, target: named } = reply.delegated;
      return { status: 200, body: { session, speaker: to, target: named, repeated: reply.repeated } };
    },
  }),
];
