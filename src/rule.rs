//! The rules that a signed letter can break, numbered as in `protocol/`. Errors, findings and reports cite them.

use std::fmt;

macro_rules! rules {
    ($($rule:ident = $name:literal,)*) => {
        /// A rule that a signed letter can break.
        ///
        /// # Examples
        ///
        /// A report quotes a rule by its number, from its page in `protocol/`:
        ///
        /// ```
        /// use sealed_dice::{report::rules, rule::Rule};
        ///
        /// let rule = Rule::ALL.iter().find(|rule| rule.as_str() == "chain 8");
        /// assert_eq!(rule, Some(&Rule::Chain8));
        /// let (text, page) = rules::text_of("chain 8").ok_or("no such rule")?;
        /// assert!(text.starts_with("Two or more placed letters"));
        /// assert_eq!(page, "chain");
        /// # Ok::<(), &str>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rule {
            $(#[doc = concat!("*", $name, "*")] $rule,)*
        }

        impl Rule {
            /// Every rule that a signed letter can break.
            pub const ALL: &'static [Self] = &[$(Self::$rule,)*];

            /// The rule as the spec numbers it, such as `declare 9`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }
        }
    };
}

rules! {
    Chain2 = "chain 2",
    Chain3 = "chain 3",
    Chain6 = "chain 6",
    Chain8 = "chain 8",
    Chain9 = "chain 9",
    Charter6 = "charter 6",
    Charter16 = "charter 16",
    Charter26 = "charter 26",
    Letters3 = "letters 3",
    Letters4 = "letters 4",
    Letters5 = "letters 5",
    Seal1 = "seal 1",
    Seal2 = "seal 2",
    Seal3 = "seal 3",
    Seal4 = "seal 4",
    Seal5 = "seal 5",
    Declare1 = "declare 1",
    Declare2 = "declare 2",
    Declare3 = "declare 3",
    Declare4 = "declare 4",
    Declare5 = "declare 5",
    Declare6 = "declare 6",
    Declare7 = "declare 7",
    Declare8 = "declare 8",
    Declare9 = "declare 9",
    Declare10 = "declare 10",
    Declare11 = "declare 11",
    Declare12 = "declare 12",
    Declare13 = "declare 13",
    Declare14 = "declare 14",
    Declare15 = "declare 15",
    Declare16 = "declare 16",
    Declare17 = "declare 17",
    Declare18 = "declare 18",
    Declare19 = "declare 19",
    Declare20 = "declare 20",
    Declare21 = "declare 21",
    Reveal1 = "reveal 1",
    Reveal2 = "reveal 2",
    Reveal3 = "reveal 3",
    Reveal4 = "reveal 4",
    Reveal5 = "reveal 5",
    Reveal6 = "reveal 6",
    Reveal7 = "reveal 7",
    Reveal8 = "reveal 8",
    Decide1 = "decide 1",
    Decide2 = "decide 2",
    Decide3 = "decide 3",
    Decide4 = "decide 4",
    Decide5 = "decide 5",
    Correct1 = "correct 1",
    Correct2 = "correct 2",
    Correct3 = "correct 3",
    Correct4 = "correct 4",
    Correct5 = "correct 5",
    Correct6 = "correct 6",
    Correct7 = "correct 7",
    Close1 = "close 1",
    Close2 = "close 2",
    Close3 = "close 3",
    Claim1 = "claim 1",
    Claim2 = "claim 2",
    Claim3 = "claim 3",
    Claim4 = "claim 4",
    Claim5 = "claim 5",
    Ruling1 = "ruling 1",
    Ruling2 = "ruling 2",
    Ruling3 = "ruling 3",
    Ruling4 = "ruling 4",
    Ruling5 = "ruling 5",
    Ruling6 = "ruling 6",
    Ruling7 = "ruling 7",
    Ruling8 = "ruling 8",
    Ruling9 = "ruling 9",
    Ruling10 = "ruling 10",
    Ruling11 = "ruling 11",
    Ruling13 = "ruling 13",
    Receipt1 = "receipt 1",
    Receipt2 = "receipt 2",
    Receipt3 = "receipt 3",
    Receipt4 = "receipt 4",
    Receipt5 = "receipt 5",
    Courses19 = "courses 19",
    Hidden6 = "hidden 6",
    Post6 = "post 6",
    Post7 = "post 7",
}

impl Rule {
    /// Whether a declaration that breaks this rule can be done again. If it breaks another rule, doing it again could
    /// be a second roll (letters, Breach).
    #[must_use]
    pub const fn can_be_done_again(self) -> bool {
        matches!(
            self,
            Self::Declare3
                | Self::Declare4
                | Self::Declare5
                | Self::Declare6
                | Self::Declare7
                | Self::Declare8
                | Self::Declare9
                | Self::Declare10
                | Self::Declare15
        )
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
