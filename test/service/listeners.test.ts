import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

/** file -> why nobody gets anything there whom it does not know. A server that is not listed fails the test: say who may reach it, and what it tells them. */
const listeners: Readonly<Record<string, string>> = {
  'apps/quartermaster/src/faults/fault-control.ts': 'loopback, with a token from a file of its owner',
  'apps/quartermaster/src/run/check-port.ts': 'loopback, answers nothing',
  'lib/rpc/src/rest/rest-server.ts': 'checkExposure: TLS and identity beyond loopback',
  'lib/rpc/src/rpc-server.ts': 'checkExposure: TLS and identity beyond loopback',
  'lib/runtime/src/host/role-http.ts': 'its settings: TLS beyond loopback; the console knows its callers by their sessions',
  'lib/service/src/admin-server.ts': 'TLS and identity beyond loopback, one word without',
  'lib/store/src/embedded/start-embedded-postgres.ts': 'loopback, looks for a free port and answers nothing',
  'operators/inventory/src/discovery/agent/discovery-server.ts': 'TLS and identity everywhere, one word without',
  'services/cluster/src/gateway/serve/gateway-server.ts':
    'its settings: TLS everywhere; tenants by keys that the market knows, and to others what anybody may know',
  'simulator/src/cluster/streams/kubelet-server.ts': 'loopback, client certificates',
  'simulator/src/cluster/streams/pod-ports.ts': 'in memory',
  'simulator/src/server/simulated-server.ts': 'loopback, client certificates and tokens',
};

it('knows every server of the product', () => {
  const sources = ['apps', 'lib', 'operators', 'services', 'simulator'].flatMap((folder) =>
    globSync(`${folder}/**/src/**/*.{ts,tsx}`, { cwd: root, exclude: (name) => name.endsWith('node_modules') }),
  );
  expect(sources.length).toBeGreaterThan(500);
  const serving = sources.filter(
    (path) =>
      !/\/test\/|\.test\.tsx?$/.test(path) &&
      /\bcreate(Tls|Secure)?Server\(|\bnew (Http|Https|Net)?Server\(/.test(readFileSync(new URL(path, root), 'utf8')),
  );
  expect(serving.toSorted()).toEqual(Object.keys(listeners).toSorted());
});
