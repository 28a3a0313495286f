import { describeConfig } from '@quartermaster/service';
import { describe, expect, it } from 'vitest';
import { roleCommand } from './role-command.ts';
import { processConfig } from './role-config.ts';
import { roles } from './roles.ts';

const head = `# Settings

What a process of Quartermaster can be told, by role. Each setting can be a key of the YAML file that \`QUARTERMASTER_CONFIG\` names, a variable of the environment or a flag; a flag wins over a variable,
and a variable over the file. One file can serve all roles: a process takes the keys of its own role and knows those of the others. A key that no role has is refused with the nearest that there is.

This page is made from the code: \`npx vitest run --project unit configuration-reference -u\` writes it anew.
`;

describe('the reference of settings', () => {
  it('is made from the settings of the roles', async () => {
    const sections = [
      { title: 'Every role', summary: 'A process that runs one role.', config: processConfig },
      ...roles.map((role) => ({ ...role, title: `\`quartermaster ${roleCommand(role).join(' ')}\`` })),
    ];
    const page = sections.map(({ title, summary, config }) => `\n## ${title}\n\n${summary}\n\n${describeConfig(config).markdown}`);
    await expect(head + page.join('')).toMatchFileSnapshot('../../../../docs/reference/configuration.md');
  });
});
