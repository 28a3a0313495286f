import { create, createFileRegistry, type DescMessage, type JsonObject } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorSetSchema,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { maskOfChange, maskOfJson, maskOfText } from './update-mask.ts';

const { STRING, MESSAGE } = FieldDescriptorProto_Type;
const { REPEATED, OPTIONAL } = FieldDescriptorProto_Label;

/** Host { id, boot_mac, bmc: Bmc { user_name }, nics: Bmc[], labels: map of text, sets: map of Bmc, seen_at } */
function hostSchema(): DescMessage {
  const field = (name: string, number: number, typeName = '', label = OPTIONAL) => ({
    name,
    jsonName: name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase()),
    number,
    label,
    ...(typeName === '' ? { type: STRING } : { type: MESSAGE, typeName }),
  });
  const entry = (name: string, typeName: string) => ({
    name,
    field: [field('key', 1), field('value', 2, typeName)],
    options: { mapEntry: true },
  });
  const host = {
    name: 'Host',
    field: [
      field('id', 1),
      field('boot_mac', 2),
      field('bmc', 3, '.t.Bmc'),
      field('nics', 4, '.t.Bmc', REPEATED),
      field('labels', 5, '.t.Host.LabelsEntry', REPEATED),
      field('sets', 6, '.t.Host.SetsEntry', REPEATED),
      field('seen_at', 7, '.google.protobuf.Timestamp'),
    ],
    nestedType: [entry('LabelsEntry', ''), entry('SetsEntry', '.t.Bmc')],
  };
  const bmc = { name: 'Bmc', field: [field('user_name', 1), field('url', 2)] };
  const file = {
    name: 'host.proto',
    package: 't',
    syntax: 'proto3',
    dependency: ['google/protobuf/timestamp.proto'],
    messageType: [host, bmc],
  };
  const set = create(FileDescriptorSetSchema, { file: [file_google_protobuf_timestamp.proto, file] });
  const schema = createFileRegistry(set).getMessage('t.Host');
  if (schema === undefined) throw new Error('no schema');
  return schema;
}

const schema = hostSchema();

describe('maskOfJson', () => {
  it.each<[JsonObject, string[]]>([
    [{ bootMac: 'x' }, ['boot_mac']],
    [{ boot_mac: 'x', id: 'h' }, ['boot_mac', 'id']],
    [{ bmc: { userName: 'u' } }, ['bmc.user_name']],
    [{ bmc: {} }, ['bmc']],
    [{ bmc: null }, ['bmc']],
    [{ bmc: { userName: null } }, ['bmc.user_name']],
    [{ nics: [{ url: 'x' }] }, ['nics']],
    [{ nics: [] }, ['nics']],
    [{ labels: { a: '1', b: null } }, ['labels.a', 'labels.b']],
    [{ labels: {} }, ['labels']],
    [{ labels: { 'example.com/a': '1', 'x`y': '2', '': '3' } }, ['labels.`example.com/a`', 'labels.`x``y`', 'labels.``']],
    [{ sets: { w: { url: 'x' }, v: {} } }, ['sets.w.url', 'sets.v']],
    [{ seenAt: '2026-01-31T12:00:00Z' }, ['seen_at']],
    [{ nope: 1 }, []],
    [{}, []],
  ])('of %j is %j', (json, paths) => {
    expect(maskOfJson(schema, json)).toEqual(paths);
  });
});

describe('maskOfChange', () => {
  it.each<[JsonObject, JsonObject, string[]]>([
    [{ id: 'h', boot_mac: 'x' }, { id: 'h', boot_mac: 'x' }, []],
    [{ boot_mac: 'x' }, { boot_mac: 'y' }, ['boot_mac']],
    [{ boot_mac: 'x' }, {}, ['boot_mac']],
    [{ bmc: { url: 'a', user_name: 'u' } }, { bmc: { url: 'a', user_name: 'v' } }, ['bmc.user_name']],
    [{ bmc: { url: 'a', user_name: 'u' } }, { bmc: { url: 'a' } }, ['bmc.user_name']],
    [{ bmc: { url: 'a' } }, {}, ['bmc']],
    [{}, { bmc: { url: 'a' } }, ['bmc']],
    [{ nics: [{ url: 'a' }] }, { nics: [{ url: 'b' }] }, ['nics']],
    [{ labels: { a: '1', b: '2', 'x.y': '3' } }, { labels: { a: '1', c: '4', 'x.y': '5' } }, ['labels.b', 'labels.`x.y`', 'labels.c']],
    [{ labels: { a: '1' } }, {}, ['labels']],
    [{ sets: { w: { url: 'a' }, v: { url: 'b' } } }, { sets: { w: { url: 'c' } } }, ['sets.w.url', 'sets.v']],
    [{ seen_at: '2026-01-31T12:00:00Z' }, { seen_at: '2027-01-31T12:00:00Z' }, ['seen_at']],
  ])('from %j to %j is %j', (before, after, paths) => {
    expect(maskOfChange(schema, before, after)).toEqual(paths);
  });
});

describe('maskOfText', () => {
  it.each<[string, string[]]>([
    ['bmc.userName,boot_mac', ['bmc.user_name', 'boot_mac']],
    [' bootMac , , id ', ['boot_mac', 'id']],
    ['labels.camelKey', ['labels.camelKey']],
    ['sets.userName.userName', ['sets.userName.user_name']],
    ['nics.0.userName', ['nics.0.user_name']],
    ['labels.`a,b`,labels["c,d"]', ['labels.`a,b`', 'labels["c,d"]']],
    ['nope.userName', ['nope.userName']],
    ['', []],
  ])('of %j is %j', (text, paths) => {
    expect(maskOfText(schema, text)).toEqual(paths);
  });

  it('keeps what it reads where the type is not known', () => {
    expect(maskOfText(undefined, 'a.bC, d')).toEqual(['a.bC', 'd']);
  });
});
