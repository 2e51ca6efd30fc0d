// SPDX-License-Identifier: Apache-2.0
// speedscope_schema.mjs MODULES FILE: whether FILE is what speedscope's own schema of its file format wants. MODULES: where scripts/setup-browser has
// installed speedscope and ajv. Exit code 1: it is not.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [modules, file] = process.argv.slice(2);
const Ajv = createRequire(join(modules, 'package.json'))('ajv');
const schema = JSON.parse(readFileSync(join(modules, 'node_modules/speedscope/dist/release/file-format-schema.json'), 'utf8'));
const validate = new Ajv({ strict: false, allowUnionTypes: true }).compile(schema);

if (!validate(JSON.parse(readFileSync(file, 'utf8')))) {
	console.log(validate.errors.slice(0, 5).map((error) => `${error.instancePath}: ${error.message}`).join('\n'));
	process.exit(1);
}
