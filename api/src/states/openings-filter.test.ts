import { expect, it } from 'vitest';
import { openingsFilter } from './openings-filter.ts';

it('asks for people and controllers apart, since about when the object was created', () => {
  expect(openingsFilter('people', '2026-01-01T00:01:00.123456Z')).toBe(
    'this.outcome == "revealed" && !(this.role == "controller") && this.at >= timestamp("2026-01-01T00:00:00.123Z")',
  );
  expect(openingsFilter('controllers', undefined)).toBe('this.outcome == "revealed" && this.role == "controller"');
});
