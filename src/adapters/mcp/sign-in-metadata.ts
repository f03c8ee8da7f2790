// Describes Belay to an authorization server at which it registers.
import type { OAuthClientMetadata } from '@modelcontextprotocol/client';

/** Returns the metadata of a program that keeps no secret, and that people use on their own machine. */
export const clientMetadata = (redirectUrl: string, scope: string | undefined): OAuthClientMetadata => ({
  client_name: 'Belay',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...(scope !== undefined && { scope }),
});
