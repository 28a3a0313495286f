import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeFlags } from '../bin/node-flags.mjs';

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the flags of Node', () => {
  it('are the same where the shell, the image and npm start the program', () => {
    expect(textOf('../bin/quartermaster.mjs').split('\n')[0]).toBe(`#!/usr/bin/env -S node ${nodeFlags.join(' ')}`);
    const entry = ['node', ...nodeFlags, '/app/apps/quartermaster/bin/quartermaster.mjs'];
    expect(textOf('../../../scripts/start.mjs')).toContain(`nodeFlags: ['${nodeFlags.join("', '")}']`);
    expect(textOf('../../../Containerfile')).toContain(`ENTRYPOINT ${JSON.stringify(entry).replaceAll(',', ', ')}\n`);
  });
});
