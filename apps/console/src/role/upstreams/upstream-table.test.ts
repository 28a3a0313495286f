import { describe, expect, it } from 'vitest';
import { upstreamPath, upstreamTable } from './upstream-table.ts';

const inventory = ['/api/inventory/v1/', '/v1/'] as const;
const fulfillment = ['/api/private/', '/api/private/'] as const;

describe('the path at an upstream', () => {
  it('is that of the console with the prefix of the upstream', () => {
    expect(upstreamPath(inventory, '/api/inventory/v1/view?view=nodes%3Fname%3Dgpu-7')).toBe('/v1/view?view=nodes%3Fname%3Dgpu-7');
    expect(upstreamPath(inventory, '/api/inventory/v1/views:watch?views=a&views=b')).toBe('/v1/views:watch?views=a&views=b');
    expect(upstreamPath(fulfillment, '/api/private/v1/hosts/a%2Fb')).toBe('/api/private/v1/hosts/a%2Fb');
    expect(upstreamPath(['/openapi.json', '/openapi.json'], '/openapi.json')).toBe('/openapi.json');
  });

  it.each(['../../metrics', '%2e%2e/%2e%2e/metrics', '..%5c..%5cmetrics/../../../metrics', '.%2e/v2/x'])(
    'does not climb out with %s',
    (rest) => {
      expect(() => upstreamPath(inventory, `/api/inventory/v1/${rest}`)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    },
  );

  it('belongs to one upstream', () => {
    const paths = upstreamTable.flatMap((row) => Object.keys(row.paths));
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.filter((path) => path.startsWith('/api/session') || path.startsWith('/api/console'))).toEqual([]);
  });
});
