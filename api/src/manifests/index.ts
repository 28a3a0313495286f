export { type ManifestName, manifestNames, manifestText } from './manifest-text.ts';
