// Copies the console's libraries unchanged from their packages.
//
//   node vendor.mjs          copies the libraries from node_modules, with licences and checksums
//   node vendor.mjs --check  fails if a file differs from its package
//
// package.json contains the packages in fixed versions. `npm ci` verifies them with package-lock.json.
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const packages = {
  '@fontsource-variable/inter': { 'files/inter-latin-wght-normal.woff2': 'inter.woff2' },
  'client-zip': { 'index.js': 'client-zip.mjs' },
  htm: { 'dist/htm.mjs': 'htm.mjs' },
  'openapi-fetch': { 'dist/index.mjs': 'openapi-fetch.mjs' },
  preact: { 'dist/preact.mjs': 'preact.mjs', 'hooks/dist/hooks.mjs': 'hooks.mjs' },
  uplot: { 'dist/uPlot.esm.js': 'uPlot.esm.js', 'dist/uPlot.min.css': 'uPlot.min.css' },
};
const checking = process.argv.includes('--check');
const listed = join(here, 'vendor/vendor.json');
const list = {};
let differing = 0;

for (const [name, files] of Object.entries(packages)) {
  const folder = join(here, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  list[name] = { version, license, files: {} };
  const licence = readdirSync(folder).find((file) => /^LICENSE(\.txt)?$/.test(file));
  for (const [from, to] of Object.entries({ ...files, [licence]: `LICENSE-${name.split('/').at(-1)}` })) {
    const [source, target] = [join(folder, from), join(here, from === licence ? 'vendor' : 'assets/vendor', to)];
    list[name].files[to] = createHash('sha256').update(readFileSync(source)).digest('hex');
    if (!checking) copyFileSync(source, target);
    else if (!readFileSync(source).equals(readFileSync(target))) {
      differing += 1;
      console.error(`${to} is not what ${name} ${version} has`);
    }
  }
}
const text = `${JSON.stringify(list, null, 2)}\n`;
if (!checking) writeFileSync(listed, text);
else if (readFileSync(listed, 'utf8') !== text) {
  differing += 1;
  console.error('vendor/vendor.json is not what the packages have');
}
process.exit(differing === 0 ? 0 : 1);
