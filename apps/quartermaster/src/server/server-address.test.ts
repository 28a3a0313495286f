import { expect, it } from 'vitest';
import { parseServerAddress } from './server-address.ts';

it.each([
  ['api.example.com:8000', { address: 'api.example.com:8000', isPlainText: false }],
  ['127.0.0.1:8000', { address: '127.0.0.1:8000', isPlainText: true }],
  ['https://127.0.0.1:8000', { address: '127.0.0.1:8000', isPlainText: false }],
  ['https://api.example.com/', { address: 'api.example.com:443', isPlainText: false }],
  ['http://api.example.com:8000', { address: 'api.example.com:8000', isPlainText: true }],
  ['[::1]:8000', { address: '[::1]:8000', isPlainText: true }],
])('reads %s', (text, address) => {
  expect(parseServerAddress(text, 'ADDRESS')).toEqual(address);
});

it.each(['api.example.com', 'ftp://x:1', 'https://x/path', 'https://user@x:1', ''])('refuses %j', (text) => {
  expect(() => parseServerAddress(text, 'ADDRESS')).toThrow(/^ADDRESS ".*" must be /);
});
