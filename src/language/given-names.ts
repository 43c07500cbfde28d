/** Given names that need no other sign to be one. What is an ordinary word as well (Ernst, Rosa, Wolf) is not listed. */
const given: Readonly<Record<string, ReadonlySet<string>>> = {
  de: new Set(
    (
      'Adalbert Adam Adelheid Adele Adolf Agathe Agnes Albert Albrecht Alexander Alfred Alois Amalie Andreas Anna Anne Anneliese Annette Anselm ' +
      'Antonie Anton Armgard Arnold Arthur Auguste Balthasar Barbara Bärbel Beate Benedikt Benno Bernhard Berta Bertha Berthold Bettina Brigitte ' +
      'Bruno Charlotte Christian Christiane Christine Christof Christoph Clara Clemens Cornelia Cäcilie Daniel David Dietrich Dora Dorothea ' +
      'Eberhard Eduard Effi Egon Elisabeth Elise Elsbeth Else Elvira Emil Emilie Emma Erich Erika Erna Erwin Eugen Eugenie Eva Felix Ferdinand ' +
      'Florian Franz Franziska Frieda Friedrich Fritz Gabriele Georg Gerda Gerhard Gertrud Gisela Gottfried Gotthold Gottlieb Gregor Greta Gretchen ' +
      'Grete Gustav Hanna Hannes Hans Hedwig Heidi Heinrich Heinz Helene Helmut Henriette Hermann Hermine Hieronymus Hildegard Hubert Hugo Ida Ignaz ' +
      'Ilse Ina Irene Irma Isabella Jakob Jean Jenny Joachim Johann Johanna Johannes Jonas Josef Josefine Joseph Josephine Julia Julie Julius ' +
      'Jürgen Karl Karla Karoline Kaspar Katharina Klara Klaus Konrad Konstanze Kurt Käthe Käthchen Lena Lene Lenore Leo Leonhard Leonore Leopold ' +
      'Lieschen Liese Lina Lisbeth Lorenz Lothar Lotte Louise Ludwig Luise Lukas Magdalena Malwine Margarete Margot Maria Marianne Marie Martha ' +
      'Martin Mathilde Matthias Max Maximilian Melanie Melchior Melusine Michael Michel Minna Moritz Nikolaus Norbert Olga Oskar Otto Ottilie Paul ' +
      'Paula Pauline Peter Petra Philipp Rainer Raimund Regine Reinhard Reinhold Renate Richard Robert Roland Rolf Rosalie Rosamunde Rosine Rudolf ' +
      'Rupert Ruth Sabine Samuel Sebastian Siegfried Siegmund Sigismund Simon Sophie Stefan Stephan Susanne Sybille Thekla Theodor Therese Theresia ' +
      'Thomas Tobias Toni Traugott Ulrich Ulrike Ursula Valentin Veit Veronika Viktor Viktoria Vinzenz Walter Walther Werner Wilhelm ' +
      'Wilhelmine Willibald Woldemar Wolfgang Xaver'
    ).split(' '),
  ),
};

/** In the language of the base code. */
export function isGivenName(word: string, code: string): boolean {
  return given[code]?.has(word) ?? false;
}
