// Writes biome.floors.jsonc from the table of floors (npm run floors).
import { writeFileSync } from 'node:fs';
import { floorsText } from '../test/house/biome-floors.ts';

writeFileSync(new URL('../biome.floors.jsonc', import.meta.url), floorsText());
