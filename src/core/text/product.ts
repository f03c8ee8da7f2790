// The name and version by which Belay introduces itself to clients and servers.

/** The version is that of package.json: test/house/product.test.ts compares them. */
export const product = { name: 'belay', version: '0.1.0' } as const;
