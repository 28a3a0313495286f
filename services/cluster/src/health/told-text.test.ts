import { expect, it } from 'vitest';
import { joinedTexts } from './told-text.ts';

it.each([
  [['all replicas are available', '', 'b.example is withheld'], 'all replicas are available; b.example is withheld'],
  [['web: It does not fit.', 'nothing is reserved'], 'web: It does not fit. Nothing is reserved'],
  [['', 'alone.'], 'alone.'],
  [[], ''],
])('sentences and parts of sentences are told one after the other: %j', (texts, text) => {
  expect(joinedTexts(texts)).toBe(text);
});
