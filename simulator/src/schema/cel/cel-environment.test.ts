import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { celProblem, compileCel } from './cel-environment.ts';

const evaluated = (expression: string, self: unknown): unknown => compileCel(expression)({ self });
const network = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([address, bits]) => `${address}/${bits}`);

// What the functions answer is a contract of both servers: test/contract/cel-functions.ts.
describe('an expression', () => {
  it('looks for fields of any value, as deep as it likes', () => {
    const expression = 'has(self.list[0].a.b) && !has(self.list[size(self.list) - 1].map["x"].c)';
    expect(evaluated(expression, { list: [{ a: { b: 1n } }, { map: { x: {} } }] })).toBe(true);
  });

  it.each([
    ['ip(self)', 'parse error'],
    ['cidr(self)', 'parse error'],
    ['url(self)', 'invalid URI'],
    ['quantity(self)', 'quantit'],
    ['self.find("(")', 'Illegal regex'],
    ['"%d".format([self])', 'does not take'],
  ])('fails where a text is none of what it is taken for: %s', (expression, why) => {
    expect(() => evaluated(expression, 'no such thing')).toThrow(why);
  });

  it('is refused where it is no CEL or of another type', () => {
    expect(celProblem('self.', 'bool')).toMatch(/^compilation failed: ERROR: /);
    expect(celProblem('object.spec', 'bool')).toMatch(/^compilation failed: ERROR: /);
    expect(celProblem('object.spec', 'bool', 'policy')).toBeUndefined();
    expect(celProblem('ip(self).family()', 'bool')).toBe('cel expression must evaluate to a bool');
    expect(celProblem('nothing(self)', undefined)).toMatch(/^compilation failed: ERROR: /);
  });

  it('finds every network within the network that its masked form says', () => {
    fc.assert(
      fc.property(network, network, (a, b) => {
        const includes = evaluated(`cidr(self.a).containsCIDR(self.b)`, { a, b });
        const widened = evaluated(`string(cidr(self).masked().ip())`, `${b.split('/')[0]}/${a.split('/')[1]}`);
        const base = evaluated(`string(cidr(self).masked().ip())`, a);
        expect(includes).toBe(base === widened && Number(a.split('/')[1]) <= Number(b.split('/')[1]));
      }),
    );
  });
});
