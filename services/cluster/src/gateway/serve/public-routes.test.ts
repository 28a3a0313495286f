import { messageOf, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { GatewayRoute, RouteRequest } from './gateway-route.ts';
import { publicRoutes } from './public-routes.ts';

const request: RouteRequest = { parts: {}, query: new URLSearchParams(), peer: '', signal: new AbortController().signal };
const ask = (routes: readonly GatewayRoute[], path: string): Promise<unknown> => {
  const route = routes.find((each) => each.path === path);
  return route?.kind === 'public' ? route.answer(request) : Promise.reject(new Error('no such route'));
};
const failing = (thrown: unknown): readonly GatewayRoute[] => {
  const fail = () => Promise.reject(thrown);
  return publicRoutes({ version: '1', kubernetes: fail, account: fail, status: fail });
};
const paths = ['/version', '/address', '/status'];

describe('what anybody may ask', () => {
  it('is the version, the account and the state', async () => {
    const routes = publicRoutes({
      ...{ version: '1.2', kubernetes: async () => ({ gitVersion: 'v1.36' }) },
      ...{ account: async () => 'akash1provider', status: async () => ({ address: 'akash1provider' }) },
    });
    expect(await Promise.all(paths.map((path) => ask(routes, path)))).toEqual([
      { json: { akash: { name: 'quartermaster', version: '1.2' }, kube: { gitVersion: 'v1.36' } } },
      { json: { address: 'akash1provider' } },
      { json: { address: 'akash1provider' } },
    ]);
  });

  it('says nothing of where it would be asked', async () => {
    const away = new StatusError('unavailable', 'no answer from 10.0.0.7');
    for (const path of paths) {
      const thrown = await ask(failing(away), path).catch((error: unknown) => error);
      expect(thrown).toMatchObject({ code: 'unavailable', message: expect.not.stringContaining('10.0.0.7') });
      expect(messageOf(thrown)).toContain('10.0.0.7');
    }
  });

  it('leaves a bug a bug', async () => {
    const bug = new TypeError('x');
    for (const path of paths) await expect(ask(failing(bug), path)).rejects.toBe(bug);
  });
});
