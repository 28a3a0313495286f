import { expect, it } from 'vitest';
import { summary } from './summary.ts';

it('says where every role serves', () => {
  const roles = new Map([
    ['service-fulfillment', { rest: 'http://127.0.0.1:1' }],
    ['operator-inventory', { rest: 'http://127.0.0.1:2' }],
  ]);
  const facts = { consoleLink: 'http://127.0.0.1:3', kubeconfig: '/k', kubernetes: 'simulated', directory: '/d', tokenFile: '/t' } as const;
  const providerTokenFile = '/p';
  const text = summary({ ...facts, providerTokenFile, roles, tenants: [{ name: 'acme', tokenFile: '/a' }] });
  expect(text).toContain('  service-fulfillment  http://127.0.0.1:1\n  operator-inventory   http://127.0.0.1:2\n');
  expect(text).toContain('  administrator  /t\n  provider       /p\n  tenant acme    /a\n');
});
