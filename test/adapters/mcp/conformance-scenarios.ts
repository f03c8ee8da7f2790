// Lists the scenarios of MCP's conformance program by version and revision, with the number of checks that each must have.

export interface ConformanceProgram {
  /** Its package. */
  readonly name: string;
  /** By revision and scenario: how many checks succeed, at least. */
  readonly checks: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Scenarios that are not played, each with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
}

const extension = 'an extension of MCP, which Belay does not have';

const leftOutEverywhere = {
  'auth/2025-03-26-oauth-metadata-backcompat': 'it wants metadata to be found as before 2025-06-18',
  'auth/client-credentials-jwt': extension,
  'auth/client-credentials-basic': extension,
};

export const conformancePrograms: readonly ConformanceProgram[] = [
  {
    name: 'mcp-conformance-0.1',
    checks: {
      '2025-03-26': {
        'auth/2025-03-26-oauth-endpoint-fallback': 7,
      },
      '2025-06-18': {
        'auth/token-endpoint-auth-basic': 18,
        'auth/token-endpoint-auth-none': 18,
        'auth/token-endpoint-auth-post': 18,
        initialize: 1,
        tools_call: 1,
      },
      '2025-11-25': {
        'auth/basic-cimd': 13,
        'auth/metadata-default': 13,
        'auth/metadata-var1': 13,
        'auth/metadata-var2': 13,
        'auth/metadata-var3': 13,
        'auth/pre-registration': 13,
        'auth/scope-from-scopes-supported': 14,
        'auth/scope-from-www-authenticate': 14,
        'auth/scope-omitted-when-undefined': 14,
        'auth/scope-retry-limit': 19,
        'auth/scope-step-up': 23,
        'auth/token-endpoint-auth-basic': 18,
        'auth/token-endpoint-auth-none': 18,
        'auth/token-endpoint-auth-post': 18,
        'elicitation-sep1034-client-defaults': 5,
        initialize: 1,
        'sse-retry': 3,
        tools_call: 1,
      },
      draft: {
        'auth/offline-access-not-supported': 14,
        'auth/offline-access-scope': 13,
        'auth/resource-mismatch': 3,
      },
    },
    leftOut: { ...leftOutEverywhere, 'auth/cross-app-access-complete-flow': extension },
  },
  {
    name: 'mcp-conformance',
    checks: {
      '2025-03-26': {
        'auth/2025-03-26-oauth-endpoint-fallback': 7,
      },
      '2025-06-18': {
        'auth/token-endpoint-auth-basic': 19,
        'auth/token-endpoint-auth-none': 19,
        'auth/token-endpoint-auth-post': 19,
        initialize: 1,
        tools_call: 2,
      },
      '2025-11-25': {
        'auth/basic-cimd': 13,
        'auth/metadata-default': 18,
        'auth/metadata-var1': 18,
        'auth/metadata-var2': 18,
        'auth/metadata-var3': 18,
        'auth/pre-registration': 13,
        'auth/scope-from-scopes-supported': 14,
        'auth/scope-from-www-authenticate': 14,
        'auth/scope-omitted-when-undefined': 14,
        'auth/scope-retry-limit': 19,
        'auth/scope-step-up': 23,
        'auth/token-endpoint-auth-basic': 19,
        'auth/token-endpoint-auth-none': 19,
        'auth/token-endpoint-auth-post': 19,
        'elicitation-sep1034-client-defaults': 5,
        initialize: 1,
        'json-schema-2020-12-preservation': 9,
        'sse-retry': 3,
        tools_call: 2,
      },
      '2026-07-28': {
        'auth/authorization-server-migration': 28,
        'auth/basic-cimd': 12,
        'auth/iss-normalized': 8,
        'auth/iss-not-advertised': 14,
        'auth/iss-supported': 14,
        'auth/iss-supported-missing': 8,
        'auth/iss-unexpected': 8,
        'auth/iss-wrong-issuer': 8,
        'auth/metadata-default': 18,
        'auth/metadata-issuer-mismatch': 3,
        'auth/metadata-var1': 18,
        'auth/metadata-var2': 18,
        'auth/metadata-var3': 18,
        'auth/offline-access-not-supported': 14,
        'auth/offline-access-scope': 12,
        'auth/pre-registration': 12,
        'auth/resource-mismatch': 3,
        'auth/scope-from-scopes-supported': 14,
        'auth/scope-from-www-authenticate': 14,
        'auth/scope-omitted-when-undefined': 14,
        'auth/scope-retry-limit': 11,
        'auth/scope-step-up': 27,
        'auth/token-endpoint-auth-basic': 19,
        'auth/token-endpoint-auth-none': 19,
        'auth/token-endpoint-auth-post': 19,
        'http-custom-headers': 18,
        'http-invalid-tool-headers': 12,
        'http-standard-headers': 3,
        'json-schema-2020-12-preservation': 9,
        'json-schema-ref-no-deref': 1,
        'request-metadata': 6,
        'sep-2322-client-request-state': 5,
        tools_call: 2,
      },
    },
    leftOut: {
      ...leftOutEverywhere,
      'auth/enterprise-managed-authorization': extension,
      'auth/dpop': extension,
      'auth/dpop-nonce': extension,
      'auth/wif-jwt-bearer': extension,
      'sep-2640-client-no-prefetch': extension,
      'sep-2640-client-verify-digest': extension,
      'sep-2640-client-verify-size': extension,
      'sep-2640-client-verify-frontmatter': extension,
    },
  },
];
