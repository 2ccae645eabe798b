import { formatMicros, type Growth } from "./growth-of.ts";

const width = 720;
const height = 420;
const left = 70;
const right = 190;
const top = 40;
const bottom = 50;
const colours = ["#1b6ac9", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0f766e", "#a16207", "#475569"];

/**
 * Cost against size as an SVG, both axes logarithmic. A dashed line shows what grows as its input
 * does.
 */
export function growthPlot(title: string, growth: readonly Growth[]): string {
  const all = growth.flatMap(({ points }) => points);
  const sizes = [...new Set(all.map(({ size }) => size))].toSorted((a, b) => a - b);
  const micros = all.map((point) => point.micros);
  const [low, high] = [Math.floor(Math.log10(Math.min(...micros))), Math.ceil(Math.log10(Math.max(...micros)))];
  const x = (size: number): number =>
    left + (Math.log10(size) / Math.log10(sizes.at(-1) ?? 10)) * (width - left - right);
  const y = (cost: number): number =>
    height - bottom - ((Math.log10(cost) - low) / (high - low)) * (height - top - bottom);
  const decades = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text([left, 22], title, 'font-size="15"'),
    ...decades.flatMap((cost) => [
      line([left, y(cost)], [width - right, y(cost)], 'stroke="#e5e7eb"'),
      text([left - 8, y(cost) + 4], formatMicros(cost), 'text-anchor="end" fill="#555"'),
    ]),
    ...sizes.map((size) =>
      text([x(size), height - bottom + 20], size.toLocaleString("en"), 'text-anchor="middle" fill="#555"'),
    ),
    linear(x, y, { sizes, low, high }),
    ...growth.flatMap((one, index) => curve(one, { x, y, colour: colours[index % colours.length] ?? "#000", index })),
    "</svg>",
    "",
  ].join("\n");
}

type Scale = (value: number) => number;
type Point = readonly [number, number];

function linear(
  x: Scale,
  y: Scale,
  { sizes, low, high }: { readonly sizes: readonly number[]; readonly low: number; readonly high: number },
): string {
  const decades = Math.min(high - low, Math.log10(sizes.at(-1) ?? 1));
  return line(
    [x(1), y(10 ** low)],
    [x(10 ** decades), y(10 ** (low + decades))],
    'stroke="#9ca3af" stroke-dasharray="5 4"',
  );
}

interface CurveStyle {
  readonly x: Scale;
  readonly y: Scale;
  readonly colour: string;
  readonly index: number;
}

function curve({ series, points }: Growth, { x, y, colour, index }: CurveStyle): readonly string[] {
  const path = points.map(({ size, micros }) => `${x(size).toFixed(1)},${y(micros).toFixed(1)}`).join(" ");
  const row = top + 10 + index * 20;
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...points.map(
      ({ size, micros }) => `<circle cx="${x(size).toFixed(1)}" cy="${y(micros).toFixed(1)}" r="3" fill="${colour}"/>`,
    ),
    `<rect x="${width - right + 16}" y="${row - 9}" width="10" height="10" fill="${colour}"/>`,
    text([width - right + 32, row], series),
  ];
}

function line([x1, y1]: Point, [x2, y2]: Point, style: string): string {
  return `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" ${style}/>`;
}

function text([x, y]: Point, words: string, style = ""): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${style}>${words}</text>`;
}
