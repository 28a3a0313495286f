import { describe, expect, it } from 'vitest';
import { filterOf } from '../read/run-watch.ts';
import { objectFilter } from './object-filter.ts';

const nothing = { names: [], labels: [], includeDeleted: true };

describe('objectFilter', () => {
  it('is none when everything is wanted', () => {
    expect(objectFilter(nothing)).toBeUndefined();
  });

  it('leaves out what is being deleted', () => {
    expect(objectFilter({ ...nothing, includeDeleted: false })).toBe('!has(this.metadata.deletion_timestamp)');
  });

  it('joins all conditions so that none widens another', () => {
    expect(objectFilter({ names: ['a"b'], labels: ['row=7,!old'], filter: 'true || false', includeDeleted: true })).toBe(
      '(true || false) && (this.id in ["a\\"b"] || this.metadata.name in ["a\\"b"]) && (this.metadata.labels["row"] == "7") && (!("old" in this.metadata.labels))',
    );
  });

  it.each([
    ['a', '"a" in this.metadata.labels'],
    ['a=', 'this.metadata.labels["a"] == ""'],
    ['a==b', 'this.metadata.labels["a"] == "b"'],
    ['a!=b', '!("a" in this.metadata.labels) || !(this.metadata.labels["a"] == "b")'],
  ])('understands the label %s', (label, filter) => {
    expect(objectFilter({ ...nothing, labels: [label] })).toBe(filter);
  });

  it.each(['', '=x', '!a=b', 'a b', 'a=b=c', 'a!=b!=c'])('refuses the label %j', (label) => {
    expect(() => objectFilter({ ...nothing, labels: [label] })).toThrow('must be KEY=VALUE');
  });
});

describe('the filter of a watch', () => {
  it('has the kinds that are wanted and the own one', () => {
    expect(filterOf([], undefined)).toBe('');
    expect(filterOf(['hosts', 'host-classes'], 'a || b')).toBe('(has(event.host) || has(event.host_class)) && (a || b)');
  });
});
