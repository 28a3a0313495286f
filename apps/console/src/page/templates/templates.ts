import { may, templateKind } from '../api/object-kind.ts';
import type { ConsolePage } from '../frame/console-page.ts';
import { TemplatePage } from './template-page.tsx';
import { TemplatesPage } from './templates-page.tsx';

export const templates: ConsolePage = {
  label: 'Templates',
  href: '/templates',
  key: 't',
  section: 'Own',
  source: 'fulfillment',
  isFor: (session) => may(session, 'List', templateKind),
  routes: [
    { path: '/templates', component: TemplatesPage },
    { path: '/templates/:id', component: TemplatePage },
  ],
};
