import { ApiSchema, MixinSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { KnownFilters } from './known-filters.ts';

const nothing = () => false;

describe('known filters', () => {
  it('are compiled once', () => {
    const filters = new KnownFilters();
    const filter = filters.compile('this.name == "a"', ApiSchema, nothing);
    expect(filters.compile('this.name == "a"', ApiSchema, nothing)).toBe(filter);
    expect(filters.compile('this.name == "b"', ApiSchema, nothing)).not.toBe(filter);
  });

  it('are those of one type: what one form of an object hides stays hidden after somebody else asked for it', () => {
    const filters = new KnownFilters();
    filters.compile('this.version == "r1"', ApiSchema, nothing);
    expect(() => filters.compile('this.version == "r1"', MixinSchema, nothing)).toThrow(/version/);
  });

  it('are refused each time when they are wrong', () => {
    const filters = new KnownFilters();
    for (let time = 0; time < 2; time += 1) expect(() => filters.compile('this.nothing == 1', ApiSchema, nothing)).toThrow(/nothing/);
  });

  it('are forgotten when many others were used since', () => {
    const filters = new KnownFilters();
    const [old, used] = ['this.name == "old"', 'this.name == "used"'].map((text) => filters.compile(text, ApiSchema, nothing));
    for (let index = 0; index < 250; index += 1) {
      filters.compile(`this.name == "${index}"`, ApiSchema, nothing);
      filters.compile('this.name == "used"', ApiSchema, nothing);
    }
    expect(filters.compile('this.name == "used"', ApiSchema, nothing)).toBe(used);
    expect(filters.compile('this.name == "old"', ApiSchema, nothing)).not.toBe(old);
  });
});
