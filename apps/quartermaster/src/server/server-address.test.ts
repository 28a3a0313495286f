import { expect, it } from 'vitest';
import { roles } from '../roles/roles.ts';
import { parseServerAddress } from './server-address.ts';
import { type ServerName, serverNamed, servers } from './servers.ts';

it.each([
  ['api.example.com', { address: 'api.example.com:8000', isPlainText: false }],
  ['api.example.com:9000', { address: 'api.example.com:9000', isPlainText: false }],
  ['localhost', { address: 'localhost:8000', isPlainText: true }],
  ['127.0.0.1:9000', { address: '127.0.0.1:9000', isPlainText: true }],
  ['https://127.0.0.1:9000', { address: '127.0.0.1:9000', isPlainText: false }],
  ['https://api.example.com/', { address: 'api.example.com:443', isPlainText: false }],
  ['http://api.example.com', { address: 'api.example.com:80', isPlainText: true }],
  ['HTTP://api.example.com:9000', { address: 'api.example.com:9000', isPlainText: true }],
  ['[::1]', { address: '[::1]:8000', isPlainText: true }],
  ['[::1]:9000', { address: '[::1]:9000', isPlainText: true }],
  ['[2001:db8::7]:9000', { address: '[2001:db8::7]:9000', isPlainText: false }],
  ['https://[2001:db8::7]', { address: '[2001:db8::7]:443', isPlainText: false }],
])('reads %s', (text, address) => {
  expect(parseServerAddress(text, 'ADDRESS', 8000)).toEqual(address);
});

const forms = 'HOST, HOST:PORT, https://HOST:PORT or http://HOST:PORT';

it.each([
  ['', `ADDRESS "" must be ${forms}, such as 127.0.0.1:8000`],
  ['https://', `ADDRESS "https://" must be ${forms}, such as 127.0.0.1:8000`],
  ['a b', `ADDRESS "a b" must be ${forms}, such as 127.0.0.1:8000`],
  ['x:port', `ADDRESS "x:port" must be ${forms}, such as 127.0.0.1:8000`],
  ['[x]:1', `ADDRESS "[x]:1" must be ${forms}, such as 127.0.0.1:8000`],
  ['ftp://x:1', 'ADDRESS "ftp://x:1" must begin with https:// or http://, or with the host'],
  ['https://x/path', `ADDRESS "https://x/path" must have no user, path or query: ${forms}`],
  ['https://me:secret@x:1', `ADDRESS "https://…@x:1" must have no user, path or query: ${forms}`],
  ['::1', 'ADDRESS "::1" must have its IPv6 address in brackets: [::1] or [::1]:PORT'],
  ['x:0', 'ADDRESS "x:0" must have a port from 1 to 65535'],
  ['x:65536', 'ADDRESS "x:65536" must have a port from 1 to 65535'],
])('refuses %j and says how to write it', (text, message) => {
  expect(() => parseServerAddress(text, 'ADDRESS', 8000)).toThrow(message);
});

it.each(Object.keys(servers) as ServerName[])('asks %s on the port where its role listens by default', (name) => {
  const { role, port } = serverNamed(name);
  const settings = roles.find((each) => each.name === role)?.config.keys ?? [];
  expect(settings.find(({ flag }) => flag === `${name}-grpc-port`)?.defaultValue).toBe(port);
});
