/**
 * Words that say nothing about which tool is meant. They count in names, and in a query that
 * consists of nothing else.
 */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a about after am an and any are as at be because been but by called can could did do does for from had has have having he her him " +
    "his how i if in into is it its just let like me my named need needs of off on or our out over own please right she should so some such " +
    "than that the their them then there these they this those to too up us use used uses using very via want was we were what " +
    "when where which while will with would you your"
  ).split(" "),
);
